"""Answers by language: what says that it is not known, what answers, and what guesses all the same.

Written by hand for `test_stance_tables`; a line of each kind is one answer.
"""

from __future__ import annotations


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.strip().splitlines())


ABSTAINING = {
    "en": _lines("""
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
    "de": _lines("""
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
    "fr": _lines("""
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
    "es": _lines("""
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
    "zh": _lines("""
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
    "ja": _lines("""
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
    "ar": _lines("""
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

ANSWERING = {
    "en": _lines("""
        Unknown Pleasures is the album.
        No more than 5
        no later than 4 May
        Nothing Else Matters by Metallica
        None of them signed the contract.
        The Unknown Soldier lies in Paris.
        The meeting is on 4 May. Nobody knows better than Ann.
        I know: 42.
        There is no doubt that it is 42.
        Not 5 but 7
        No, it is 7.
        The code is 12345. I don't know why you ask.
        It is 12345, as given in the text.
        The text states 4711.
        Null Island
        The missing page is 14.
        Absent friends
        No one but Ann has the key.
        The planet is unknown to most people and is called Ceres.
        No problem: 12345.
    """),
    "de": _lines("""
        Die Sitzung ist am 4. Mai, nicht am 5. Mai.
        Nicht mehr als 5
        Nichts ist unmöglich, sagt Anna.
        Der Code lautet 4711.
        Im Text steht 4711.
        Ich weiß es: 42.
        Keine zwei Tage später
        Der unbekannte Soldat
        Das ist nicht Anna, sondern Greta.
        Keiner von beiden, sondern Lena.
        Es ist 7.
        Wien
        Nicht vor dem 1. Juni
        Das Buch heißt "Unbekannte Orte".
        Kein Tag ohne Linie
        Nicht weniger als 12 Euro
    """),
    "fr": _lines("""
        La réunion a lieu le 4 mai.
        Pas plus de 5
        Le code est 4711.
        Rien de grave n'est arrivé à Paris.
        L'Inconnu du lac
        Ce n'est pas Anne, c'est Claire.
        Aucun des deux, mais Sophie.
        Le texte dit 4711.
        Je sais : 42.
        Vienne
        Au plus tard le 1er juin
        Il ne reste pas moins de 12 euros.
        C'est 7.
        Pas avant le 4 mai
        Le Soldat inconnu est à Paris.
    """),
    "es": _lines("""
        La reunión es el 4 de mayo.
        No más de 5
        El código es 4711.
        Nada menos que 12 euros
        El texto dice 4711.
        Lo sé: 42.
        No es Ana, es Carmen.
        Ninguno de los dos, sino Lucía.
        Viena
        A más tardar el 1 de junio
        Es 7.
        Nada Surf
        No antes del 4 de mayo
        El soldado desconocido está en París.
        Son 12.
    """),
    "zh": _lines("""
        会议在5月4日举行。
        不超过5个
        密码是4711。
        文中写的是4711。
        我知道：42。
        不是小丽，是小红。
        没有一个人比小芳更高。
        维也纳
        不晚于6月1日
        答案是7。
        未来之城
        无锡
        不少于12元
        不早于5月4日
        没有别人，只有小红。
    """),
    "ja": _lines("""
        会議は5月4日です。
        5個以下
        コードは4711です。
        本文には4711と書かれています。
        わかりました。42です。
        さくらではなく、ゆきです。
        ウィーン
        6月1日まで
        答えは7です。
        12円以上
        はなです。
        梨
        5月4日より前ではない
        4711が記載されています。
        名前のない馬
    """),
    "ar": _lines("""
        الاجتماع في 4 مايو.
        لا أكثر من 5
        الرمز هو 4711.
        يذكر النص 4711.
        أعرف ذلك: 42.
        ليست ليلى بل سلمى.
        فيينا
        في موعد أقصاه 1 يونيو
        الجواب هو 7.
        لا أقل من 12
        مريم
        ليس قبل 4 مايو
        كتاب الجندي
        لا شك أنه 42.
        هو 7.
    """),
}

GUESSING = {
    "en": _lines("""
        I don't know, but it is 7.
        I don't know. x x x The value is 1021.
        I am not certain, but I think it is 7.
        I don't know for sure. The value is 1021.
        Not stated, but my best guess is 5.
        I don't know. It is Paris.
        I do not know. 7.
        Unknown, probably 7
        It is 7, but I don't know for sure.
        The text does not say. Answer: 7
        I cannot determine it. Still, the answer is 7.
    """),
    "de": _lines("""
        Ich weiß es nicht, aber es ist 7.
        Das steht nicht im Text. Die Antwort lautet 7.
        Keine Angabe, vermutlich 7
    """),
    "fr": _lines("""
        Je ne sais pas, mais c'est 7.
        Le texte ne le dit pas. La réponse est 7.
        Je ne suis pas sûr, mais je pense que c'est 7.
    """),
    "es": _lines("""
        No lo sé, pero es 7.
        El texto no lo dice. La respuesta es 7.
        No estoy seguro, pero creo que es 7.
    """),
    "zh": _lines("""
        我不知道，但是答案是7。
        文中没有提到。答案是7。
        不太确定，可能是7。
    """),
    "ja": _lines("""
        わかりませんが、7です。
        書かれていません。答えは7です。
        不明ですが、おそらく7です。
    """),
    "ar": _lines("""
        لا أعرف، لكن الجواب هو 7.
        غير مذكور. الجواب هو 7.
        لست متأكدا، لكن أعتقد أنه 7.
    """),
}
