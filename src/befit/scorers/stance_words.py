"""The words by which a text says that it does not know, doubts, or gives a value: by language.

Read by `abstaining`. The lists are plain on purpose: what they find can be pointed
at. All are searched in folded text (NFKC, case folded, plain quotes: ß is ss).
"""

from __future__ import annotations

import re

_TEXT = (
    r"(?:(?:the|this|that|your|any) )?(?:(?<!\w)\w+ )?(?:text|document|passage|article|context"
    r"|source|material|excerpt|report|contract|description|information|data|prompt|question)s?"
)
"""A word is tried from where it begins: from each of its letters, the time is its square."""
_GIVEN = (
    r"(?:given|stated|mentioned|specified|provided|available|included|disclosed|known|contained"
    r"|found|present|listed|recorded|named|shown|indicated|noted|described|defined|clear)"
)
_TELLS = (
    r"(?:say|state|mention|specify|contain|include|provide|give|indicate|disclose|list|name"
    r"|reveal|tell|answer|cover|address)"
)
_NO = (
    r"\bno (?!(?:other|further|additional|more|less|fewer|later|earlier|longer|sooner|doubt"
    r"|matter|one|problem)\b)"
)
_DENOTED = (
    r"(?:angegeben|erwähnt|genannt|bekannt|enthalten|aufgeführt|ersichtlich|vorhanden|zu finden"
    r"|gefunden|beantwortbar|bestimmbar|verzeichnet|festgehalten|aufgelistet|zu entnehmen|klar)"
)
_DETEXT = r"(?:text|dokument|artikel|abschnitt|vertrag|kontext|auszug|bericht)"

ABSTAINS: dict[str, tuple[str, ...]] = {
    "en": (
        (
            r"(?:i|we) (?:(?:really|honestly|simply|just) )?(?:do not|don't|cannot|can't|could not"
            r"|couldn't|(?:am|was) (?:un|not )able to|wasn't able to|did not|didn't)"
            r" (?:(?:actually|really) )?(?:say|tell|determine|answer|find|locate|provide|identify"
            r"|verify|confirm|see (?:any|it|that)|have (?:that|this|any|enough|the|sufficient"
            r"|an answer)|know\b(?! (?:for (?:sure|certain)|exactly|precisely|why|how you|much"
            r"|if you)))"
        ),
        rf"(?:is|are|was|were|been)(?: not|n't) (?:\w+ly )?{_GIVEN}\b",
        rf"(?:does|do|did)(?: not|n't) (?:\w+ly )?{_TELLS}\b",
        rf"\bnot (?:\w+ly )?{_GIVEN}\b",
        (
            r"(?:cannot|can't|can not|could not|couldn't) be (?:determined|answered|known|derived"
            r"|inferred|found|established|given|told|identified|said|deduced)"
        ),
        (
            r"^[^\w\n]*(?:sorry\W+)?(?:cannot|can't|could not|couldn't|unable to|not able to)"
            r" (?:determine|tell|say|answer|find|know|identify)\b"
        ),
        (
            rf"{_NO}(?:enough |sufficient )?(?:information|data|details|context|evidence|mention"
            r"|indication|reference|record)\b"
        ),
        r"(?:not enough|insufficient) (?:information|data|details|context|evidence)\b",
        rf"{_NO}(?:[\w'-]+ ){{1,8}}(?:is|are|was|were|can be|could be|has been) {_GIVEN}\b",
        rf"{_NO}(?:[\w'-]+ ){{1,8}}{_GIVEN} (?:in|by|for) ",
        r"\b(?:unanswerable|unsolvable|unsolveable|not answerable|not applicable)\b",
        r"\bthere(?: is|'s| are|'re| was| were) no (?:answer|such|way (?:to|of) (?:know|tell))",
        rf"\bthere(?: is|'s| are|'re| was| were) no [^.!?\n]{{1,80}}? (?:in|within) {_TEXT}\b",
        r"\bbut (?:not|none|nothing) (?:for|of|about|on)\b",
        rf"\bthere(?: is|'s) nothing (?:about|on|in {_TEXT})\b",
        (
            rf"(?:\bit|{_TEXT}) (?:gives|says|contains|provides|mentions|offers|has|includes|states"
            rf"|lists|specifies) (?:{_NO[2:]}|nothing\b)"
        ),
        rf"(?:\bnot|n't) (?:(?:anywhere|covered) )?(?:in|within|part of|by) {_TEXT}\b",
        rf"\bthere (?:is|are|was|were)(?: not|n't) (?:an?|any) [^.!?\n]{{1,80}}? in {_TEXT}\b",
        rf"{_NO}(?:[\w'-]+ ){{1,8}}(?:appears?|exists?|occurs?)\b",
        rf"{_TEXT} (?:lacks|omits|is silent)\b|\bnothing in {_TEXT}\b|\bnot something {_TEXT}\b",
        r"\b(?:i|we)(?:'m|'re| am| are| was| were) not told\b",
        r"\bnever (?:mention|say|state|give|specif|name)",
        rf"\b(?:absent|missing|omitted|left out) (?:from|in) {_TEXT}\b",
        (
            r"(?:it|that|this|which)(?:'s| is|'re| are) (?:simply |just )?(?:not|n't) (?:there"
            r"|here)\b(?=\W*(?:$|\n|[.;,]))"
        ),
        r"\bisn't there\b(?=\W*(?:$|\n|[.;,]))",
        (
            r"\b(?:is|are|was|were|remains?) (?:\w+ly )?(?:unknown|unspecified|undisclosed|unstated"
            r"|unavailable|unclear|undefined|missing|absent)\b(?=\W*(?:$|\n|[.;,(]| (?:from|in)\b))"
        ),
        r"\b(?:have|has|had) no (?:idea|clue|information|knowledge|way of knowing|data|record)",
        r"\b(?:not|im)possible to (?:determine|tell|say|know|answer|find)",
        (
            r"\b(?:i'm|i am|we are) (?:not aware of|unaware of|unable to (?:answer|determine|find"
            r"|say|tell|provide))"
        ),
        r"\b(?:does not|doesn't|did not|didn't) (?:appear|occur|exist) (?:in|anywhere)\b",
        r"\b(?:nobody|no one) knows\b(?=\W*(?:$|\n|[.;,]))",
        r"\bi (?:have not|haven't) (?:found|seen|been (?:given|told))",
        (
            r"\b(?:more|further|additional) (?:information|context|data|details) (?:is|are"
            r"|would be) (?:needed|required|necessary)"
        ),
    ),
    "de": (
        (
            r"(?:weiss|wissen) (?:(?:ich|wir|es|das|dies|leider|auch) ){0,3}nicht\b"
            r"(?! (?:genau|sicher|warum))"
        ),
        (
            r"\b(?:kann|können|konnte|lässt sich|lasst sich) .{0,40}(?:nicht|keine?) (?:\w+ )?"
            r"(?:sagen|beantwort|bestimm|ermittel|beurteil|feststell|ableit|finden|herausfind"
            r"|entnehm|angeb|antwort)"
        ),
        rf"(?:wird|ist|sind|werden|wurde|wurden|war) (?:[\w ]{{0,40}} )?nicht {_DENOTED}",
        (
            r"\b(?:keine|nicht genug|nicht genügend|nicht ausreichend|zu wenig)"
            r" (?:\w+ )?(?:angaben?|information(?:en)?|daten|auskunft|hinweise?|ahnung|antwort)\b"
        ),
        (
            rf"\bkeine? (?:[\w-]+ ){{1,6}}(?:angegeben|erwähnt|genannt|aufgeführt|gefunden"
            rf"|zu finden|im {_DETEXT}|in dem {_DETEXT})\b"
        ),
        (
            r"\bnicht (?:bekannt|angegeben|beantwortbar|gefunden|erwähnt|genannt|vorhanden"
            r"|aufgeführt|angeführt)\b"
        ),
        rf"\bnicht (?:im|in dem|in diesem|aus dem) (?:\w+ )?{_DETEXT}",
        rf"\bim {_DETEXT} (?:nicht|nirgends|steht (?:dazu )?(?:nichts|nicht))\b",
        r"\b(?:steht|stehen|steht da) (?:dort |da |hier |dazu )?(?:nicht|nirgends|nichts)\b",
        (
            rf"\b(?:{_DETEXT}|er|es|sie) (?:sagt|enthält|nennt|gibt|erwähnt|verrät|liefert)"
            r" (?:\w+ ){0,3}(?:nichts|nicht|keine?n?)\b"
        ),
        r"\b(?:ist|bleibt|sind) (?:leider )?(?:unbekannt|unklar|offen|ungewiss)\b",
        r"\bes gibt (?:dazu |darüber |hierzu )?keine (?:antwort|angabe|information|erwähnung)",
        rf"\bes gibt (?:[\w ]{{0,40}})?keine?n? .{{1,60}} im {_DETEXT}\b",
        r"\bgeht (?:\w+ ){0,4}nicht hervor\b",
        r"\b(?:unmöglich|nicht möglich) zu (?:sagen|wissen|bestimmen|beantworten)",
        r"\bfehlt im (?:text|dokument)\b",
    ),
    "fr": (
        (
            r"\bje (?:ne |n'en )?(?:le |l')?(?:sais pas|peux pas\b(?! .{0,15}aider)"
            r"|suis pas en mesure|trouve pas|connais pas|dispose pas|vois pas)(?! (?:pourquoi"
            r"|exactement|au juste))"
        ),
        (
            r"\bje n'(?:ai pas|en ai|ai) (?:aucune |la |cette |d'|assez |trouvé |pas )?"
            r"(?:idée|information|réponse|trouvé|aucune idée|donnée)"
        ),
        (
            r"\b(?:n'est|ne sont|n'a|n'ont|n'y est|n'était|n'y figure|ne figure|n'apparaît)"
            r" (?:pas|nulle part|jamais)\b(?: été)?(?= ?(?:indiqué|mentionné|précisé|donné"
            r"|disponible|connu|fourni|spécifié|dans|là\b|cité|dit|répertorié|renseigné|$|[.,;]))"
        ),
        (
            r"\b(?:ne|n'en|n'y) (?:le |la |les |nous )?(?:dit|précise|mentionne|contient|donne"
            r"|fournit|permet|parle|indique|comporte|figure|cite) (?:pas|rien|aucun|nulle part)"
        ),
        (
            r"\b(?:pas assez|pas suffisamment|aucune?) (?:d'|de )?(?:informations?|données"
            r"|indication|mention|réponse|idée|précision|code|trace)"
        ),
        r"\baucune? (?:[\w'-]+ ){1,6}(?:n'est|n'a été|ne figure|n'apparaît)",
        r"\bil n'y a (?:pas|aucune?) .{1,60} dans (?:le|ce) (?:texte|document|passage)",
        r"\bil n'y a (?:pas de|aucune?) (?:réponse|information|mention|indication)",
        r"\b(?:il est )?impossible (?:de|à) (?:le )?(?:savoir|dire|déterminer|répondre|trouver)",
        (
            r"\bj(?:e l)?'ignore\b|\b(?:non|pas) (?:précisée?|indiquée?|mentionnée?|spécifiée?"
            r"|communiquée?|trouvée?"
            r"|disponible|connue?|renseignée?)\b"
        ),
        r"\b(?:pas|absente?|rien) (?:dans|du|de) (?:le |ce )?(?:texte|document|passage)\b",
        r"\b(?:est|reste|demeure|sont) (?:inconnu|indéterminé)e?s?\b",
        r"\bon ne (?:le )?(?:sait|peut) pas\b",
    ),
    "es": (
        (
            r"\bno (?:lo |se lo )?(?:s[eé]\b(?! (?:por qué|exactamente|con certeza|dice|da|indica"
            r"|menciona|encuentra|puede|especifica|proporciona|conoce|sabe))|se sabe|puedo (?:saber"
            r"|decir|determinar|responder|encontrar|contestar)|puede (?:saber|determinar|responder)"
            r"|encuentro|encontré|conozco)"
        ),
        (
            r"\bno (?:se|está|esta|están|fue|ha sido|viene|aparece|figura|consta)\b"
            r" ?(?:lo |la )?(?:\w+ )?(?:indica|indicad|menciona|mencionad|especifica|especificad"
            r"|proporciona|disponible|da\b|conoce|encuentra|puede|dice|en el|en la|en ning"
            r"|record|registrad|list|incluid|$|[.,;])"
        ),
        (
            r"\bno (?:lo |la |me |nos )?(?:dice|menciona|indica|especifica|contiene|proporciona|da"
            r"|ofrece|incluye|habla|precisa|aclara|tengo (?:ni )?(?:idea|información|datos|esa))\b"
        ),
        r"\b(?:no hay|sin|falta) (?:suficientes? )?(?:información|datos|respuesta|mención)",
        r"\bno hay (?:ning[uú]n[ao]? )?.{1,60} en el (?:texto|documento|pasaje)",
        r"\bning[uú]n[ao]? (?:\w+ ){1,5}(?:se menciona|aparece|figura|se indica|es mencionad)",
        r"\b(?:es|son|sigue siendo|queda) (?:desconocid[oa]s?|una incógnita)\b",
        r"\b(?:no es posible|(?:es )?imposible) (?:saber|determinar|responder|decir)",
        r"\bno (?:está |aparece )?en el (?:texto|documento|pasaje)\b",
        r"\b(?:no )(?:especificad|mencionad|indicad|disponible|encontrad|conocid|proporcionad)",
        r"\bni idea\b",
    ),
    "it": (
        r"non (?:lo )?(?:so|posso (?:dire|sapere|determinare|rispondere))",
        (
            r"non (?:è|sono|viene"
            r"|vengono) (?:stat[oaie] )?(?:indicat|menzionat|specificat|fornit|not[oa])"
        ),
        r"non ci sono (?:abbastanza )?(?:informazioni|dati)",
    ),
    "pt": (
        r"não (?:sei|posso (?:dizer|saber|determinar|responder))",
        r"não (?:é|está|foi|são) (?:\w+ )?(?:indicad|mencionad|especificad|informad|fornecid)",
        r"não há (?:informaç|dados)",
    ),
    "nl": (
        r"(?:ik|we|wij) (?:weet|weten) (?:het )?niet",
        r"(?:niet|geen) (?:vermeld|genoemd|bekend|aangegeven|gegeven|informatie)",
    ),
    "ru": (r"не (?:знаю|указан|известн|сказан|упомян)", r"нет (?:информации|данных)"),
    "zh": (
        r"(?:不知道|不清楚|不晓得|不曉得|不得而知|无从得知|無從得知|无从知晓|不明确|不太清楚)",
        (
            r"(?:无法|無法|不能|没法|沒法|难以)(?:从.{0,10})?(?:回答|确定|得知|判断|知道|知晓|找到"
            r"|給出|给出|提供答案|確定|判斷|推断|得出)"
        ),
        (
            r"(?:没有|没|未|沒有|并未|並未|并没有|並沒有|未曾|从未)(?:在.{0,8})?(?:明确|具体|被)?"
            r"(?:提(?![供前高升])|说明|說明|給出|给出|提供|指出|明确|写明|寫明|列出|记录|記錄|記載|记载"
            r"|显示|标明|找到|说|說|写|寫|透露|涉及|包含|出现|足够的?信息|相关信息|相關資訊|答案"
            r"|这个|这项|这一|该信息|关于)"
        ),
        r"(?:信息|資訊|资料|資料)不足",
        r"(?:文中|文本中|原文中|文章中|文档中|资料中)(?:没有|沒有|并无|並無|无|無)",
        r"不在(?:文中|文本中|原文中|文章中|文档中)",
    ),
    "ja": (
        (
            r"(?:分か|わか|判|解)(?:りません|らない|りかね)|知りません|存じません|存じ上げません"
            r"|不明(?:です|である|だ|のまま)|判断(?:でき|がつき)(?:ません|ない)"
            r"|(?:答え|お答え|回答|特定|確認|断定|判別|確定)(?:することは|することが|は|が)?"
            r"(?:でき|られ)(?:ません|ない)|答えられません|答えることができません"
        ),
        (
            r"(?:記載|記述|言及|情報|明記|説明|掲載|記録|答え|手がかり)(?:が|は|も|されて|について"
            r"|は特に)?(?:ありません|ない|なし|いません|いない|不足|見当たりません|見つかりません)"
        ),
        (
            r"(?:書かれて|書いて|載って|示されて|述べられて|触れられて|触れて|含まれて|挙げられて"
            r"|言及されて|出てき|登場し)(?:は)?(?:いません|いない|おりません|ません|ありません"
            r"|あ(?:り|る)ません)"
        ),
        r"(?:見つかりません|見当たりません|見つけられません)",
        r"(?:どこにも|本文に|文中に|テキストに)(?:は)?(?:ありません|ない)",
    ),
    "ko": (r"(?:알 수 없|모르겠|모릅니다|언급되지 않|나와 있지 않|정보가 없|확인할 수 없)",),
    "ar": (
        r"(?:لا|لست) (?:[أا]عرف|[أا]علم|[أا]دري|نعرف|نعلم)(?! (?:لماذا|بالضبط|على وجه))",
        (
            r"(?:لا|لم) (?:[أا]ستطيع|يمكن(?:ني)?|[أا]تمكن|[أا]ستطع)(?: من)? ?(?:[أا]ن )?(?:تحديد"
            r"|معرفة|الإجابة|الاجابة|العثور|إيجاد|[أا]جد|[أا]حدد|[أا]عرف|[أا]جيب|القول)"
        ),
        r"غير (?:مذكور|معروف|محدد|متوفر|موجود|وارد|معلوم|مدرج|متاح|واضح)",
        (
            r"(?:لم|لا|ولم|ولا) (?:يُ?ذكر|يُ?رد|تُ?ذكر|تُ?رد|يُ?حدد|يُ?شر|يُ?وضح|يُ?توفر|تتوفر"
            r"|يُ?قدم|يُ?شير|يتم ذكر|[أا]ملك|يُ?تضمن|يُ?حتوي|يُ?قول|يقل|يُ?عطي|[أا]جد|يتطرق)"
        ),
        r"لا (?:توجد|يوجد|تتوفر|يتوفر) .{0,40}(?:معلوم|إجابة|اجابة|ذكر|في النص|بيانات|رمز|إشارة)",
        r"(?:ليس|ليست) (?:موجود|مذكور|في النص|لدي|هناك|لدينا|في المستند|معروف|واضح|متاح)",
        r"لا ذكر ل",
        r"ليس(?:ت)? لدي (?:أي )?(?:فكرة|معلومات)",
    ),
}
"""Saying that there is no answer to give, anywhere in a text."""

ALONE = (
    r"unknown|n/?a|n\.a\.|none|null|nil|nothing|no (?:answer|idea|clue|code|data|value|result)"
    r"|no such [\w -]{1,40}|not there|unclear|unspecified|undisclosed|undetermined|unavailable"
    r"|undefined|missing|absent|not sure|(?:i am|i'm|we are) not (?:sure|certain)"
    r"|i (?:do not|don't) know (?:for (?:sure|certain)|exactly|precisely)"
    r"|unbekannt|keine?|nichts|k\.\s?a\.|unklar|fehlt|keine (?:ahnung|antwort)"
    r"|ich bin (?:mir )?nicht sicher"
    r"|inconnue?|aucune?|rien|néant|indéterminée?|je ne suis pas sûre?|aucune idée"
    r"|desconocid[oa]|ningun[oa]|ninguno|nada|no consta|no aparece|no estoy segur[oa]"
    r"|sconosciut[oa]|desconhecid[oa]|onbekend|неизвестно"
    r"|未知|不明|无|無|没有|沒有|不详|不詳|不确定|不確定|なし|該当なし|不詳|모름|없음"
    r"|مجهول|لا شيء|لا يوجد|لا أدري|غير معروف|لست متأكد[اًا]*"
)
"""Saying it by being all of a text, a line or its first sentence: 'None' is also an answer."""

HEDGES: dict[str, tuple[str, ...]] = {
    "en": (
        (
            r"\b(?:probably|perhaps|maybe|possibly|presumably|likely|i think|i believe|i guess"
            r"|i suppose|i assume|my (?:best )?guess|i would (?:guess|estimate|say)"
            r"|i'd (?:guess|estimate|say)|not (?:entirely |completely |fully |quite |100 ?% )?"
            r"(?:sure|certain)|(?:do not|don't) know (?:for (?:sure|certain)|exactly|precisely)"
            r"|might be|could be|may be|approximately speaking|it seems|as far as i know"
            r"|if i had to (?:guess|say))\b"
        ),
    ),
    "de": (
        (
            r"\b(?:wahrscheinlich|vielleicht|vermutlich|möglicherweise|womöglich|eventuell|wohl"
            r"|ich (?:denke|glaube|vermute|schätze|tippe|würde sagen|nehme an)|könnte|dürfte"
            r"|nicht (?:ganz |völlig )?sicher|nicht genau)\b"
        ),
    ),
    "fr": (
        (
            r"\b(?:probablement|peut-être|sans doute|je (?:pense|crois|suppose|dirais)|il semble"
            r"|pourrait|pas (?:tout à fait |totalement )?(?:sûre?|certaine?)|pas exactement)\b"
        ),
    ),
    "es": (
        (
            r"\b(?:probablemente|quizás?|tal vez|a lo mejor|posiblemente|creo|supongo|diría"
            r"|parece|podría|no estoy segur|no sé (?:exactamente|con certeza))"
        ),
    ),
    "it": (r"\b(?:probabilmente|forse|credo|penso|suppongo|potrebbe|sembra)\b",),
    "pt": (r"\b(?:provavelmente|talvez|acho|creio|suponho|poderia|parece)\b",),
    "nl": (r"\b(?:waarschijnlijk|misschien|ik denk|ik vermoed|mogelijk|zou kunnen)\b",),
    "ru": (r"(?:вероятно|возможно|наверное|думаю|кажется|предполагаю)",),
    "zh": (
        (
            r"(?:可能|大概|也许|也許|或许|或許|我(?:想|认为|認為|猜)|应该是|應該是|估计|似乎|不太确定"
            r"|不确定|猜测)"
        ),
    ),
    "ja": (
        (
            r"(?:おそらく|たぶん|恐らく|多分|と思います|と思われ|かもしれ|推測|でしょう|はっきりとは"
            r"|確かではありません|自信はありません)"
        ),
    ),
    "ko": (r"(?:아마|것 같|추측|일지도)",),
    "ar": (r"(?:ربما|على الأرجح|[أا]عتقد|[أا]ظن|من المحتمل|قد (?:يكون|تكون)|لست متأكد|لعل)",),
}
"""Giving an answer with doubt."""

BUT = (
    r"\b(?:but|however|though|although|still|yet|nevertheless|nonetheless|anyway|aber|jedoch"
    r"|allerdings|doch|trotzdem|dennoch|mais|cependant|pourtant|toutefois|néanmoins|pero"
    r"|sin embargo|aunque|no obstante|ma|però|tuttavia|mas|porém|maar|echter|но|однако"
    r"|و?لكن\w{0,2}|غير أن|إلا أن|ومع ذلك|하지만|그러나)\b"
    r"|但是?|不过|不過|然而|可是|(?:が|けど|けれど|けれども|ものの)[、,]|しかし|でも[、,]|ただし"
)
"""Words between what is not known and what is said all the same."""

VALUE = (
    r"\b(?:it|this|that|(?:the|my) (?:\w+ )?(?:answer|value|result|number|total|solution"
    r"|response))(?:'s| is| was| are| equals| should be| would be| must be| comes to|:)"
    r"(?! (?:not|n't|no|un\w+|im\w+|possible|about|only|nothing)\b)"
    r"|\b(?:es|das|dies|die (?:antwort|zahl|lösung|nummer)|der (?:wert|code)|das ergebnis)"
    r" (?:ist|sind|lautet|beträgt|wäre|war|heisst)(?! (?:nicht|kein|un\w+))"
    r"|\b(?:c'est|ce serait|il s'agit d|(?:la|le) (?:réponse|valeur|code|nombre|résultat) est)"
    r"(?! (?:pas|in\w+))"
    r"|^\W*(?:(?:creo|diría|supongo) que )?(?:es|son|sería|serían)\b(?! (?:pos|impos|desconoc))"
    r"|(?:la respuesta|el (?:valor|código|número|resultado)) (?:es|sería)\b(?! (?:desconoc))"
    r"|(?<!的)(?:答案|数值|數值|结果|結果|它|值|密码|代码|编号|这|這|那)(?:就|应该|應該)?(?:是|为|為|:)"
    r"|(?<!の)(?:答え|値|結果|それ|コード|番号|回答)は(?!.{0,12}(?:ません|ない|不明))"
    r"|(?:الجواب|الإجابة|القيمة|الرمز|النتيجة|العدد|الرقم) ?(?:هو|هي|:|=)"
    r"|^\W*(?:هو|هي|إنه|إنها) "
)
"""The answer itself is said to be something; with a name or number after it, it is given."""

REPORTS = (
    r"\b(?:only|other|others|another|different|elsewhere|mentions?|lists?|describes?|refers?"
    r"|covers?|talks?|discuss\w*|names?|contains?|provides?|gives?|includes?"
    r"|nur|ander\w+|nennt|erwähnt|enthält|beschreibt"
    r"|seulement|uniquement|autres?|mentionne|contient|donne"
    r"|solo|sólo|solamente|únicamente|otr[oa]s?|menciona|contiene)\b"
    r"|\b(?:text|document|passage|article|question|you|there|which|who) (?:may|might|could|seems?)"
    r"|\b(?:if you|please|because)\b"
    r"|只|仅|僅|其他|其它|提到了?|提及了?|のみ|だけ|他の|ほかの|別の|فقط|[أا]خرى|يذكر|يتحدث"
)
"""Telling what else the text holds."""

REFUSES = (
    r"\b(?:i|we)(?: am|'m)? (?:cannot|can't|can not|unable to|not able to|won't|will not)"
    r" (?:help|assist|comply|do (?:that|this)|fulfil)|"
    r"\b(?:kann|darf|werde) .{0,30}nicht (?:weiter)?(?:helfen|behilflich)|"
    r"\bje ne peux pas .{0,15}aider|"
    r"\bno puedo ayudar|"
    r"\bnon posso aiutar|"
    r"\bnão posso ajudar|"
    r"\bkan .{0,30}niet (?:mee )?helpen|"
    r"не могу .{0,15}помочь|"
    r"(?:无法|無法|不能)(?:提供)?(?:帮助|幫助|协助|協助)|"
    r"(?:お手伝い|お答え|ご対応)(?:は|が)?(?:でき|いたし)(?:ません|かねます)|"
    r"도와드릴 수 없|도움을 드릴 수 없|"
    r"لا (?:يمكنني|أستطيع) .{0,10}المساعدة"
)
"""Declining to help: neither an answer nor the word that there is none."""


def joined(parts: tuple[str, ...]) -> re.Pattern[str]:
    """Return one pattern of several, tried on every line."""
    return re.compile("|".join(f"(?:{part})" for part in parts), re.MULTILINE)
