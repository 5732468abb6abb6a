"""Text with planted personal data in five languages, and text without any: what redaction meets.

Numbers with checksums are made here by their published rules, independently of
the code under test.
"""

from __future__ import annotations

import random

SENTENCES = {
    "en": {
        "EMAIL": "Please write to {x} when it is done.",
        "PHONE": "You can reach me by phone at {x} tomorrow.",
        "IBAN": "Refund it to {x} please.",
        "CARD": "I paid with the card {x} last week.",
        "IP": "The request came from {x} at night.",
        "KEY": "It fails with the key {x} since Monday.",
        "NATIONAL_ID": "My social security number is {x} as you asked.",
        "NAME": "My name is {x} and I ordered a lamp.",
    },
    "de": {
        "EMAIL": "Bitte schreiben Sie an {x} sobald es fertig ist.",
        "PHONE": "Telefonisch bin ich unter Tel. {x} erreichbar.",
        "IBAN": "Überweisen Sie es auf {x} bitte.",
        "CARD": "Bezahlt habe ich mit der Karte {x} letzte Woche.",
        "IP": "Die Anfrage kam von {x} in der Nacht.",
        "KEY": "Es scheitert mit dem Schlüssel {x} seit Montag.",
        "NATIONAL_ID": "Meine Steuer-ID lautet {x} wie gewünscht.",
        "NAME": "Sehr geehrte Frau {x}, ich habe eine Lampe bestellt.",
    },
    "fr": {
        "EMAIL": "Merci d'écrire à {x} quand c'est fait.",
        "PHONE": "Vous pouvez me joindre par téléphone au {x} demain.",
        "IBAN": "Remboursez sur {x} s'il vous plaît.",
        "CARD": "J'ai payé avec la carte {x} la semaine passée.",
        "IP": "La requête venait de {x} pendant la nuit.",
        "KEY": "Cela échoue avec la clé {x} depuis lundi.",
        "NATIONAL_ID": "Mon numéro de sécurité sociale est {x} comme demandé.",
        "NAME": "Bonjour, je m'appelle {x} et j'ai commandé une lampe.",
    },
    "es": {
        "EMAIL": "Escriba a {x} cuando esté listo.",
        "PHONE": "Me puede llamar al móvil {x} mañana.",
        "IBAN": "Devuelva el dinero a {x} por favor.",
        "CARD": "Pagué con la tarjeta {x} la semana pasada.",
        "IP": "La petición llegó de {x} por la noche.",
        "KEY": "Falla con la clave {x} desde el lunes.",
        "NATIONAL_ID": "Mi DNI es {x} como me pidió.",
        "NAME": "Hola, me llamo {x} y pedí una lámpara.",
    },
    "zh": {
        "EMAIL": "完成后请发邮件到{x}，谢谢。",
        "PHONE": "我的电话是{x}，明天可以联系。",
        "IBAN": "请退款到账户 {x} ，谢谢。",
        "CARD": "我上周用银行卡 {x} 付款。",
        "IP": "请求来自 {x} ，在夜里。",
        "KEY": "使用密钥 {x} 一直失败。",
        "NATIONAL_ID": "我的身份证号是{x}，请查收。",
        "NAME": "我叫{x}，我订了一盏灯。",
    },
}
NAMES = {
    "en": [["James", "Emily", "Robert", "Susan", "Kevin"],
           ["Carter", "Whitfield", "O'Neill", "Brown", "Ashworth"]],
    "de": [["Sabine", "Jürgen", "Heike", "Matthias", "Ute"],
           ["Müller", "Schönfeld", "von Arnim", "Weiß", "Krause"]],
    "fr": [["Amélie", "Thierry", "Chantal", "Benoît", "Solène"],
           ["Dupont", "Lefèvre", "de Villiers", "Moreau", "Girard"]],
    "es": [["Álvaro", "Lucía", "Ramón", "Begoña", "Óscar"],
           ["García López", "Ibáñez", "de la Fuente", "Núñez", "Romero"]],
    "zh": [["王", "李", "张", "陈", "刘"], ["小明", "伟", "秀英", "建国", "娜"]],
}  # fmt: skip
RARE = {
    "en": ["Threnody Vale", "Kwabena Asante", "Ottoline Fenwick", "Iolanthe Price"],
    "de": ["Wiebke Thode", "Eike Harms", "Dörte Petersen", "Malte Onken"],
    "fr": ["Gwendal Kerouac", "Maïwenn Le Goff", "Aymar Chabrol", "Ysaline Roux"],
    "es": ["Eneko Zubiri", "Xoana Pereira", "Iratxe Mendia", "Unai Olano"],
}
"""Names on no list: they are found by what stands before them, or not at all."""
CLEAN = [
    "The parcel ORD-2026-118273 was sent on 2026-03-14 at 10:45:30 with 3 items for 1,234.56 EUR.",
    "Version 2.14.3.1 of the app needs 4096 MB and port 8080; see section 12.3.4 of the manual.",
    "Invoice 4711 of 10.12.2025: 12 x 19.99 = 239.88, tax 19 %, total 285,46 EUR.",
    "She has 1250-200-700 = 350 left, so 10560/264 = 40 and 1000 - 250.0 is 750.0, or 0.333333333.",
    "Between 1189-1192 and (2015-2017) it grew; 3 - 9(2.876) - 14 and 12000-3200 are sums.",
    "Please compare 1000000 with 2000000 and round 3.14159265358979 to four digits.",
    "Die Bestellnummer lautet 20261129001 und das Paket wiegt 12,5 kg bei 30 x 40 x 50 cm.",
    "Bitte prüfen Sie die Rechnung vom Montag; der Kunde wartet seit drei Wochen auf Antwort.",
    "La commande 887766 du 3 mars 2026 contient 15 articles pour 1 234,50 euros.",
    "Le rendez-vous de lundi à Paris est confirmé, merci de répondre avant mardi.",
    "El pedido 5544332 tiene 20 unidades y llegó el 15/03/2026 a las 09:30.",
    "Quiero cambiar la contraseña porque el enlace de Madrid no funciona.",
    "订单号20261129001，共3件，金额1234.56元，2026年3月14日发货。",
    "请问这个产品的保修期是多久？我在北京，想了解退货流程。",
    "The token budget is large and the password reset link expires; keys are on the left.",
    "UUID 123e4567-e89b-12d3-a456-426614174000 and hash 9f86d081884c7d659a2feaa0c55ad015.",
    "Grace periods may apply in June; art and hope are mark enough for a rose.",
]


def luhn_digit(head):
    total = 0
    for place, sign in enumerate(reversed(head)):
        value = int(sign) * (2 - place % 2)
        total += value // 10 + value % 10
    return str(-total % 10)


def card(rng):
    start, size = rng.choice([("4", 16), ("53", 16), ("34", 15), ("6011", 16)])
    head = start + "".join(rng.choices("0123456789", k=size - 1 - len(start)))
    number = head + luhn_digit(head)
    gap = rng.choice(["", " ", "-"])
    return number if not gap or size != 16 else gap.join(
        number[i : i + 4] for i in range(0, 16, 4)
    )  # fmt: skip


def iban(rng):
    country, size = rng.choice([("DE", 18), ("FR", 23), ("ES", 20), ("AT", 16), ("GB", 0)])
    account = "".join(rng.choices("0123456789", k=size))
    if country == "GB":
        account = "WEST" + "".join(rng.choices("0123456789", k=14))
    digits = "".join(str(int(sign, 36)) for sign in account + country + "00")
    made = f"{country}{98 - int(digits) % 97:02d}{account}"
    return made if rng.random() < 0.5 else " ".join(
        made[i : i + 4] for i in range(0, len(made), 4)
    )  # fmt: skip


def national(rng, language):
    if language == "en":
        return (
            f"{rng.randrange(1, 665):03d}-{rng.randrange(1, 99):02d}-{rng.randrange(1, 9999):04d}"
        )
    if language == "es":
        number = rng.randrange(10**7, 10**8)
        return f"{number}{'TRWAGMYFPDXBNJZSQVHLCKE'[number % 23]}"
    if language == "fr":
        head = f"{rng.choice('12')}{rng.randrange(40, 99)}{rng.randrange(1, 12):02d}"
        head += f"{rng.randrange(10, 95)}{rng.randrange(1, 999):03d}{rng.randrange(1, 999):03d}"
        return f"{head}{97 - int(head) % 97:02d}"
    if language == "zh":
        head = f"110105{rng.randrange(1950, 2005)}{rng.randrange(1, 12):02d}"
        head += f"{rng.randrange(1, 28):02d}{rng.randrange(1, 999):03d}"
        weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
        total = sum(int(sign) * weight for sign, weight in zip(head, weights, strict=True))
        return head + "10X98765432"[total % 11]
    digits = rng.sample("123456789", 9)
    digits.insert(rng.randrange(1, 10), digits[0])
    product = 10
    for sign in digits:
        total = (int(sign) + product) % 10 or 10
        product = total * 2 % 11
    return "".join(digits) + str((11 - product) % 10)


PHONES = {
    "en": ["+1 415 555 2671", "(212) 555-0187", "+44 20 7946 0958", "415-555-2671"],
    "de": ["+49 30 901820", "030 901820", "0171 1234567", "+49 (0)89 1234567"],
    "fr": ["+33 1 42 68 53 00", "06 12 34 56 78", "01 42 68 53 00", "+33612345678"],
    "es": ["+34 912 345 678", "612 345 678", "912345678", "+34612345678"],
    "zh": ["13800138000", "+86 138 0013 8000", "010-62345678", "159-1234-5678"],
}


def value(rng, name, language):
    if name == "EMAIL":
        user = rng.choice(["anna.schmidt", "j_doe+x", "m", "info-42", "K.Lee"])
        return f"{user}{rng.randrange(999)}@{rng.choice(['example.org', 'mail.example.co.uk'])}"
    if name == "PHONE":
        return rng.choice(PHONES[language])
    if name == "IBAN":
        return iban(rng)
    if name == "CARD":
        return card(rng)
    if name == "IP":
        if rng.random() < 0.3:
            return "2001:db8:85a3::" + f"{rng.randrange(4096):x}"
        return ".".join(str(rng.randrange(2, 254)) for _ in range(4))
    if name == "KEY":
        body = "".join(rng.choices("abcdefghijkmnpqrstuvwxyzABCDEFGHJK23456789", k=36))
        return rng.choice(["sk-", "ghp_", "hf_", "glpat-", "xoxb-"]) + body
    if name == "NATIONAL_ID":
        return national(rng, language)
    first, last = NAMES[language]
    made = (rng.choice(first), rng.choice(last))
    return "".join(made) if language == "zh" else " ".join(made)


def planted(seed, *, each):
    """Yield (language, class, value, text): `each` of every class and language."""
    rng = random.Random(seed)  # noqa: S311 - planted data, no secret
    for language, classes in SENTENCES.items():
        for name, sentence in classes.items():
            for _ in range(each):
                one = value(rng, name, language)
                yield language, name, one, sentence.format(x=one)
