"""Every kind of instruction, as one type that pydantic tells apart by `kind`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

from befit.scorers.instructions.case import AllLowercase, AllUppercase, CapitalWords
from befit.scorers.instructions.combination import Matches, OneOf, RepeatPrompt, TwoResponses
from befit.scorers.instructions.format import (
    Bullets,
    Highlights,
    JsonOnly,
    NoMarkdown,
    NumberedList,
    Table,
)
from befit.scorers.instructions.keywords import Forbidden, KeywordCount, Keywords, LetterCount
from befit.scorers.instructions.language import Address, Language
from befit.scorers.instructions.length import (
    Characters,
    Lines,
    Paragraphs,
    ParagraphStart,
    Sentences,
    SingleLine,
    Words,
)
from befit.scorers.instructions.punctuation import Exclamations, NoCharacters, NoComma, Questions
from befit.scorers.instructions.script import (
    Furigana,
    NoAccents,
    NoDigits,
    NoScripts,
    OnlyScripts,
    ScriptCount,
    Spelling,
    WordsWith,
)
from befit.scorers.instructions.sections import Placeholders, Postscript, Sections, Title
from befit.scorers.instructions.start_end import (
    EndsWith,
    NominalEndings,
    Quoted,
    SentenceEndings,
    StartsWith,
)

AnyInstruction: TypeAlias = Annotated[
    Words
    | Characters
    | Sentences
    | Paragraphs
    | ParagraphStart
    | Lines
    | SingleLine
    | Keywords
    | KeywordCount
    | Forbidden
    | LetterCount
    | AllLowercase
    | AllUppercase
    | CapitalWords
    | Language
    | Address
    | NoComma
    | NoCharacters
    | Questions
    | Exclamations
    | JsonOnly
    | Bullets
    | NumberedList
    | Highlights
    | Table
    | NoMarkdown
    | Title
    | Sections
    | Placeholders
    | Postscript
    | StartsWith
    | EndsWith
    | Quoted
    | SentenceEndings
    | NominalEndings
    | OneOf
    | Matches
    | TwoResponses
    | RepeatPrompt
    | OnlyScripts
    | NoScripts
    | ScriptCount
    | Furigana
    | NoDigits
    | NoAccents
    | WordsWith
    | Spelling,
    Field(discriminator="kind"),
]
