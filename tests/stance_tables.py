"""Answers by language: what says that it is not known.

Written by hand for `test_stance_tables`; a line of each kind is one answer.
"""

from __future__ import annotations


def lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.strip().splitlines())


ABSTAINING = {
    "en": lines("""
        Unfortunately, I don't have that information.
        The text does not say. (It mentions codes for 3 other archives.)
        The given text doesn't say so.
        does not say
        I don't see it mentioned anywhere.
        Insufficient information to answer.
        There are no details about it.
        Information not found
        unanswerable
        The passage is silent on this.
        Nothing in the text says so.
        The text never mentions it.
        We are not told.
        The access code for the blue archive in Siena is not explicitly mentioned.
        That's not something the text tells us.
        I can't answer that from the given text.
        The text lacks this information.
        Not provided in the text.
        It doesn't say.
        The blue archive in Siena isn't in the text.
        Based on the text, there is no information regarding the blue archive in Siena.
        No access code for the blue archive in Siena appears in the text.
        There isn't an access code for the blue archive in Siena in the text.
        The text does not say what the access code of the blue archive in Siena is.
        I was not able to locate the access code for the blue archive in Siena.
        This detail is not covered in the passage.
        The provided text makes no mention of the blue archive.
        I'm afraid the document doesn't specify that.
        Not in the text.
        Unknown.
        N/A
        None
        null
        I have no idea.
        There is no blue archive in Siena in the text.
        No such code is given.
        The text gives no access code for it.
        There's no mention of a blue archive.
        The text says nothing about the blue archive.
        It isn't listed.
        No access code is listed for the blue archive in Siena.
        The code is absent from the text.
        It's not there.
        No answer can be given.
        Sorry, I couldn't find that in the document.
        The passage doesn't provide that.
        Answer: unknown
        **Answer:** not stated
        I'm not sure.
        The author is unknown.
        It seems that the text does not mention it.
        The text gives codes for the red archive (4711), but not for the blue one.
        The blue one's code is not stated. The code of the red archive in Oslo is 123456.
        Not stated. The text only lists 3 other archives.
        The contract doesn't specify the penalty. It was signed on 4 May 2020.
        I'm unable to determine the date from the given text.
        Without page 3 this cannot be determined.
        I do not know. Do you mean the red archive, which has 12 rooms?
    """),
    "de": lines("""
        Hierzu liegen keine Informationen vor.
        Das ist mir nicht bekannt.
        Ich kann das nicht beantworten.
        Der Text enthält diese Information nicht.
        Es wird kein Code für das blaue Archiv genannt.
        Leider nicht im Text enthalten.
        Dazu steht nichts im Text.
        Der Text macht dazu keine Angaben.
        Das steht nicht im Text.
        Das weiß ich nicht.
        Ich weiß es leider nicht.
        Unbekannt.
        Keine Angabe
        Der Text nennt keinen Zugangscode.
        Der Text sagt dazu nichts.
        Im Text steht dazu nichts.
        Dazu gibt es im Text keine Information.
        Das lässt sich aus dem Text nicht beantworten.
        Der Code wird nicht erwähnt.
        Keine Ahnung.
        Das geht aus dem Text nicht hervor.
        Nicht angegeben.
        Der Name ist leider unbekannt.
        Darüber enthält das Dokument keine Angaben.
        Für das blaue Archiv wurde kein Code angegeben.
        Ein Code für das blaue Archiv ist im Text nicht zu finden.
        Antwort: unbekannt
        Der Text nennt nur andere Codes, zum Beispiel 4711; dieser ist nicht angegeben.
    """),
    "fr": lines("""
        Aucune idée.
        Je l'ignore.
        Cette information ne figure pas dans le texte.
        Le texte ne donne pas cette information.
        Je ne sais pas.
        Ce n'est pas dans le texte.
        Le texte ne le dit pas.
        Inconnu.
        Le texte n'en parle pas.
        Je n'en ai aucune idée.
        Aucune information n'est donnée à ce sujet.
        Cette information n'est pas mentionnée.
        Impossible de le savoir.
        Le code n'est pas indiqué.
        Il n'y a pas d'archive bleue à Sienne dans le texte.
        Le document ne précise pas la date.
        Non précisé.
        Aucun code d'accès n'est donné pour cette archive.
        On ne peut pas le déterminer.
        Je ne trouve pas cette information.
        La date reste inconnue.
        Réponse : inconnue
        Le texte ne fournit aucun code.
    """),
    "es": lines("""
        No tengo esa información.
        No lo especifica.
        El texto no lo menciona.
        No se indica en el texto.
        No lo dice el texto.
        No lo sé.
        No sé.
        Desconocido.
        No se menciona en el texto.
        El texto no dice nada al respecto.
        No hay información sobre eso.
        No aparece en el texto.
        No está en el documento.
        No se puede determinar.
        No tengo ni idea.
        El código no se indica.
        No se especifica.
        El texto no da ningún código.
        Ningún código aparece en el texto.
        No puedo responder con el texto dado.
        Es imposible saberlo.
        Respuesta: desconocida
        El autor es desconocido.
    """),
    "zh": lines("""
        文中没有相关内容。
        文本中未提及。
        没有提供该信息。
        文章里没提。
        我不知道。
        文中没有提到。
        不知道
        未知
        文中未说明。
        无法确定。
        文本没有给出这个密码。
        没有相关信息。
        文章没有说。
        信息不足。
        无法从文中得知。
        文中并未提及蓝色档案馆。
        这一点不得而知。
        答案：未知
        原文没有写明日期。
        文中没有蓝色档案馆的密码。
        无法回答这个问题。
        文中没有提到蓝色档案馆，但红色档案馆的密码是123456。
        不清楚。
    """),
    "ja": lines("""
        テキストに答えはありません。
        文章からは分かりません。
        その情報は記載されていません。
        本文には書かれていない。
        テキストには書かれていません。
        わかりません。
        分からない。
        不明です。
        不明
        本文には記載がありません。
        文章中に言及されていません。
        その情報はありません。
        テキストからは判断できません。
        見つかりませんでした。
        答えられません。
        文中に載っていません。
        テキストでは触れられていません。
        存じません。
        答え：不明
        該当なし
        どこにもありません。
        青い文書館については述べられていません。
        特定することはできません。
    """),
    "ar": lines("""
        لم يُذكر ذلك في النص.
        لا أملك هذه المعلومة.
        لم يتم ذكر ذلك.
        لا توجد إجابة في النص.
        النص لا يحتوي على هذه المعلومة.
        لا أعرف
        لا أعلم.
        لا أدري
        غير مذكور في النص.
        النص لا يذكر ذلك.
        لم يذكر النص هذا التاريخ.
        لا توجد معلومات عن ذلك.
        لا يمكن تحديد ذلك.
        لا يمكنني معرفة ذلك من النص.
        غير معروف
        هذا غير محدد.
        ليس لدي فكرة.
        الرمز غير موجود في النص.
        لم يرد ذلك في النص.
        لا يوجد رمز لهذا الأرشيف في النص.
        ليس مذكورًا في النص.
        الجواب: غير معروف
        لم أجد هذه المعلومة.
        مجهول
    """),
}
