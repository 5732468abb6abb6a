"""The language of the answer, and the form of address."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import field_validator

from befit.scorers.instructions.base import Answer, Check, Finding, Instruction
from befit.scorers.instructions.detect import detect, known

_WORDS: dict[str, dict[str, str]] = {
    "fr": {
        "informal": "tu te toi ton ta tes tien tienne tiens tiennes toi-même",
        "formal": "vous votre vos vôtre vôtres vous-même",
    },
    "es": {
        "informal": "tú ti contigo tu tus te tuyo tuya tuyos tuyas vosotros vuestro vuestra",
        "formal": "usted ustedes ud uds",
    },
    "de": {
        "informal": "du dich dir dein deine deinen deinem deiner deines ihr euch euer eure",
        "formal": "Sie Ihnen Ihr Ihre Ihren Ihrem Ihrer Ihres",
    },
}


class Language(Instruction):
    """The answer is in this language (ISO 639 code); a text without letters holds."""

    kind: Literal["language"] = "language"
    code: str

    @field_validator("code")
    @classmethod
    def _known(cls, code: str) -> str:
        if code.lower() not in known():
            raise ValueError(f"no language that can be told apart; known: {', '.join(known())}")
        return code.lower()

    def checker(self) -> Check:
        """Compile."""

        def check(answer: Answer) -> Finding:
            found, held = detect(answer.text, asked=self.code)
            if found is None:
                return Finding(held=True, found="no letters to tell a language by")
            doubt = " (too short to rule it out)" if held and found != self.code else ""
            return Finding(held=held, found=f"most likely {found}, {self.code} asked{doubt}")

        return check


class Address(Instruction):
    """The reader is addressed in the familiar form or in the polite one, and never in the other.

    Recognised by the pronouns: French tu/vous, Spanish tú/usted, German du/Sie
    (capital `Sie` and `Ihr`; at the head of a sentence they may mean "she", so
    there they do not count).
    """

    kind: Literal["address"] = "address"
    form: Literal["informal", "formal"]
    language: Literal["fr", "es", "de"]

    def checker(self) -> Check:
        """Compile."""
        other: Literal["informal", "formal"] = "formal" if self.form == "informal" else "informal"
        wanted = _pronouns(self.language, self.form)
        unwanted = _pronouns(self.language, other)

        def check(answer: Answer) -> Finding:
            offence = unwanted.search(answer.text)
            if offence is not None:
                return Finding(held=False, found=f"'{offence[0]}'", span=offence.span())
            match = wanted.search(answer.text)
            if match is None:
                return Finding(held=False, found=f"no {self.form} address")
            return Finding(held=True, found=f"'{match[0]}'", span=match.span())

        return check


def _pronouns(language: str, form: str) -> re.Pattern[str]:
    words = "|".join(re.escape(word) for word in _WORDS[language][form].split())
    if language == "de" and form == "formal":
        return re.compile(rf"(?<![.!?:\n] )(?<![\n\w])(?<!\A)\b(?:{words})\b")
    extra = r"|\bt['\u2019](?=\w)" if (language, form) == ("fr", "informal") else ""
    return re.compile(rf"(?<!\w)(?:{words})(?!\w){extra}", re.IGNORECASE)
