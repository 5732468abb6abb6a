"""Hostile text on the reviewers' pages: escaped, hidden characters visible, markdown tamed.

What a model wrote reaches a page through here and through nothing else.
"""

from __future__ import annotations

import html
from collections.abc import Sequence

import regex
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup

from befit.charts.text import name_of

# Joiners belong to many scripts and to emoji, selectors to symbols: there they show nothing
# that is not meant. Anywhere else they, and all other hidden characters, become visible.
_HIDDEN = regex.compile(
    r"(?<![\p{L}\p{M}\p{So}\p{Sk}\uFE0F])[\u200C\u200D]"
    r"|(?<![\p{So}\p{Sk}\p{Sm}\p{Po}\p{Nd}])[\uFE0E\uFE0F]"
    r"|[\u115F\u1160\u3164\uFFA0\u034F\u2800\uFE00-\uFE0D\U000E0100-\U000E01EF]"
    r"|[\p{Zl}\p{Zp}\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}--[\n\t\u200C\u200D]]",
    regex.V1,
)


def quoted(text: str) -> Markup:
    """Return text as safe markup, its hidden characters as marked numbers."""
    text = text.replace("\r\n", "\n")
    parts: list[str] = []
    start = 0
    for found in _HIDDEN.finditer(text):
        parts.append(html.escape(text[start : found.start()]))
        parts.append(f'<span class="hid">{name_of(found[0])}</span>')
        start = found.end()
    parts.append(html.escape(text[start:]))
    return Markup("".join(parts))  # noqa: S704 - every part is escaped, or made here


def plain(value: object) -> Markup:
    """Return what a template prints, its hidden characters as numbers; markup stays as it is."""
    if isinstance(value, Markup):
        return value
    return Markup.escape(_HIDDEN.sub(lambda m: f"⟨{name_of(m[0])}⟩", str(value)))


class _Renderer(RendererHTML):
    """Headings as bold lines (a page's headings are its own), no classes out of the text."""

    def text(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        del options, env
        return str(quoted(tokens[idx].content))

    def code_inline(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        del options, env
        return f"<code>{quoted(tokens[idx].content)}</code>"

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        del options, env
        return f'<pre tabindex="0" dir="auto">{quoted(tokens[idx].content)}</pre>\n'

    code_block = fence

    def heading_open(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        del tokens, idx, options, env
        return '<p class="heading">'

    def heading_close(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        del tokens, idx, options, env
        return "</p>\n"

    def table_open(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        del tokens, idx, options, env
        return '<div class="wide" tabindex="0" role="group" aria-label="Table"><table>\n'

    def table_close(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        del tokens, idx, options, env
        return "</table></div>\n"


_OFF = ["link", "image", "autolink", "html_inline", "html_block", "reference", "entity"]


def markdown(text: str) -> Markup:
    """Return markdown as markup without links, pictures, HTML, classes or headings."""
    reader = MarkdownIt("commonmark", {"html": False}, renderer_cls=_Renderer)
    reader.enable("table").disable(_OFF)
    made = reader.render(text.replace("\x00", "⟨U+0000⟩"))
    # the marks of a list and the columns of a table stand where its own script begins
    made = regex.sub(r"<(ul|ol|table)(?=[ >])", r'<\1 dir="auto"', made)
    # alignment of table cells comes as a style, which no page of ours allows
    return Markup(regex.sub(r' style="text-align:(?:left|right|center)"', "", made))  # noqa: S704 - made of escaped text only
