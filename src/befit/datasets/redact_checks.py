"""Checksums of numbers that identify people: what tells an account from an order number."""

from __future__ import annotations

from datetime import date

_IBAN_LENGTHS = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22,
    "BR": 29, "BY": 28, "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28,
    "EE": 20, "EG": 29, "ES": 24, "FI": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23,
    "GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26,
    "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20, "LU": 20,
    "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MR": 27, "MT": 31, "MU": 30,
    "NL": 18, "NO": 15, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22,
    "SA": 24, "SC": 31, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "ST": 25, "SV": 28, "TL": 23,
    "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20,
}  # fmt: skip
_MEN_NIR, _WOMEN_NIR = "1", "2"


def iban_length(text: str) -> int:
    """Return the characters of `text` that are a valid IBAN (ISO 13616, mod 97), or 0.

    `text` starts with the country and may hold spaces and hyphens, and more behind it.
    """
    wanted = _IBAN_LENGTHS.get(text[:2].upper(), 0)
    if not wanted:
        return 0
    kept, end = "", 0
    for end, sign in enumerate(text, start=1):  # noqa: B007 - its last value is the answer
        if sign.isascii() and sign.isalnum():
            kept += sign.upper()
        if len(kept) == wanted:
            break
    if len(kept) < wanted:
        return 0
    turned = kept[4:] + kept[:4]
    number = "".join(str(int(sign, 36)) for sign in turned)
    return end if int(number) % 97 == 1 else 0


def luhn(digits: str) -> bool:
    """Whether the last digit is Luhn's check digit of the others (ISO/IEC 7812-1)."""
    total = 0
    for place, sign in enumerate(reversed(digits)):
        value = int(sign) * (1 + place % 2)
        total += value - 9 if value > 9 else value  # noqa: PLR2004 - two digits
    return total % 10 == 0


def card(digits: str) -> bool:
    """Whether these digits are a payment card: issuer, length and Luhn."""
    n = len(digits)
    known = (
        (digits[0] == "4" and n in {13, 16, 19})
        or (n == 16 and ("51" <= digits[:2] <= "55" or "2221" <= digits[:4] <= "2720"))  # noqa: PLR2004 - ranges of issuers
        or (n == 15 and digits[:2] in {"34", "37"})  # noqa: PLR2004 - the same
        or (n in {16, 19} and digits[:2] in {"60", "62", "64", "65"})
        or (n in {14, 16} and digits[:2] in {"30", "36", "38", "39"})
        or (n == 16 and digits[:2] == "35")  # noqa: PLR2004 - the same
    )
    return known and luhn(digits) and len(set(digits)) > 1


def german_tax_id(digits: str) -> bool:
    """Steuer-Identifikationsnummer: 11 digits, ISO 7064 mod 11,10, exactly one digit repeated."""
    if len(digits) != 11 or digits[0] == "0":  # noqa: PLR2004 - its length
        return False
    held = [digits[:10].count(sign) for sign in set(digits[:10])]
    if max(held) not in {2, 3} or sum(count > 1 for count in held) > 1:
        return False
    product = 10
    for sign in digits[:10]:
        total = (int(sign) + product) % 10 or 10
        product = total * 2 % 11
    return (11 - product) % 10 == int(digits[10])


def french_nir(text: str) -> bool:
    """Numéro de sécurité sociale: 13 signs and a key, 97 - number mod 97."""
    if len(text) != 15 or text[0] not in {_MEN_NIR, _WOMEN_NIR}:  # noqa: PLR2004 - its length
        return False
    head = text[:13].replace("2A", "19").replace("2B", "18")
    if not head.isdigit() or not text[13:].isdigit():
        return False
    return 97 - int(head) % 97 == int(text[13:])


def spanish_id(text: str) -> bool:
    """DNI and NIE: the letter is the number mod 23."""
    head = text[:-1].replace("X", "0").replace("Y", "1").replace("Z", "2")
    return head.isdigit() and "TRWAGMYFPDXBNJZSQVHLCKE"[int(head) % 23] == text[-1]


def chinese_id(text: str) -> bool:
    """Resident identity number: 18 signs, a date of birth, ISO 7064 mod 11-2 (GB 11643)."""
    if len(text) != 18 or not text[:17].isdigit():  # noqa: PLR2004 - its length
        return False
    try:
        date(int(text[6:10]), int(text[10:12]), int(text[12:14]))
    except ValueError:
        return False
    total = sum(int(sign) * pow(2, 17 - place, 11) for place, sign in enumerate(text[:17]))
    return "10X98765432"[total % 11] == text[17].upper()


def american_ssn(digits: str) -> bool:
    """Social security number: no check digit, but ranges that were never given out."""
    area, group, serial = digits[:3], digits[3:5], digits[5:]
    if area in {"000", "666"} or area >= "900":
        return False
    return group != "00" and serial != "0000"


def dutch_bsn(digits: str) -> bool:
    """Burgerservicenummer: nine digits, the eleven test."""
    weights = (9, 8, 7, 6, 5, 4, 3, 2, -1)
    total = sum(int(sign) * weight for sign, weight in zip(digits, weights, strict=True))
    return total % 11 == 0 and int(digits) > 0


def polish_pesel(digits: str) -> bool:
    """PESEL: eleven digits, weighted sum modulo 10."""
    weights = (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)
    total = sum(int(sign) * weight for sign, weight in zip(digits, weights, strict=True))
    month = int(digits[2:4]) % 20
    return total % 10 == 0 and 1 <= month <= 12  # noqa: PLR2004 - months, with the century in them


def brazilian_cpf(digits: str) -> bool:
    """CPF: eleven digits, two check digits modulo 11."""
    if len(set(digits)) == 1:
        return False
    for end in (9, 10):
        total = sum(int(sign) * (end + 1 - place) for place, sign in enumerate(digits[:end]))
        if total * 10 % 11 % 10 != int(digits[end]):
            return False
    return True


_ITALIAN_ODD = dict(
    zip(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11,
         3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23),
        strict=True,
    )
)  # fmt: skip


def italian_code(text: str) -> bool:
    """Codice fiscale: sixteen signs, the last a check letter."""
    total = 0
    for place, sign in enumerate(text[:15], start=1):
        even = int(sign) if sign.isdigit() else ord(sign) - ord("A")
        total += _ITALIAN_ODD[sign] if place % 2 else even
    return chr(ord("A") + total % 26) == text[15]
