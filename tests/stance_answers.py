"""Answers by language that hold words of not knowing and answer, and what guesses all the same.

Written by hand for `test_stance_tables`, as those of `stance_tables`.
"""

from __future__ import annotations

from stance_tables import lines

ANSWERING = {
    "en": lines("""
        He has no money.
        She did not find the key; Bob did.
        He didn't know the answer.
        The missing value is 12.
        The contract ends without notice on 31 May.
        According to the passage, nobody was hurt.
        Based on the text, the code is 482913, since no other code is mentioned for Siena.
        The meeting takes place in room 14, not room 15.
        It is 482913 as of 12 March.
        The blue archive in Siena: 482913
        The access code is 482913.
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
    "de": lines("""
        Er hat keinen Hund.
        Nein
        Ja, am 4. Mai.
        Der Zugangscode lautet 482913.
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
    "fr": lines("""
        Il n'a pas de chien.
        Non.
        Non, c'est le 4 mai.
        Le code d'accès est 482913.
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
    "es": lines("""
        No tiene perro.
        El código de acceso es 482913.
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
    "zh": lines("""
        访问密码是482913。
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
    "ja": lines("""
        アクセスコードは482913です。
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
    "ar": lines("""
        رمز الدخول هو 482913.
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
    "en": lines("""
        I do not know, I'd say 482913.
        I don't know; my guess: 482913
        The text does not mention it explicitly. However, we can infer that it is 482913.
        Not explicitly mentioned, but the code is likely 482913.
        Although the text does not say so, the access code is 482913.
        It isn't stated directly. The access code of the blue archive in Siena is 482913.
        I cannot find it; however, it might be 482913.
        The text doesn't explicitly say, but based on the pattern it would be 482913.
        I'm not sure but probably 482913.
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
    "de": lines("""
        Nicht angegeben, aber wohl 482913.
        Ich weiß es nicht, aber es ist 7.
        Das steht nicht im Text. Die Antwort lautet 7.
        Keine Angabe, vermutlich 7
    """),
    "fr": lines("""
        Je ne sais pas, peut-être 482913.
        Je ne sais pas, mais c'est 7.
        Le texte ne le dit pas. La réponse est 7.
        Je ne suis pas sûr, mais je pense que c'est 7.
    """),
    "es": lines("""
        No se menciona, pero podría ser 482913.
        No lo sé, pero es 7.
        El texto no lo dice. La respuesta es 7.
        No estoy seguro, pero creo que es 7.
    """),
    "zh": lines("""
        文中没有明确提到，但可能是482913。
        我不知道，但是答案是7。
        文中没有提到。答案是7。
        不太确定，可能是7。
    """),
    "ja": lines("""
        記載はありませんが、482913だと思います。
        わかりませんが、7です。
        書かれていません。答えは7です。
        不明ですが、おそらく7です。
    """),
    "ar": lines("""
        لا أعرف، ربما 482913.
        لا أعرف، لكن الجواب هو 7.
        غير مذكور. الجواب هو 7.
        لست متأكدا، لكن أعتقد أنه 7.
    """),
}
