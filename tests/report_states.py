"""Every state in which the report has to hold: names to documents, each made once."""

from __future__ import annotations

from functools import cache

from befit.report.document import Document
from befit.report.html import render
from report_documents import Shape, document

HOSTILE = (
    "<script>window.pwned=1</script>",
    '<img src=x onerror="window.pwned=1">',
    "</script><script>window.pwned=1</script>",
    "</pre></textarea></style><svg onload=window.pwned=1>",
    "[click](javascript:window.pwned=1) <a href='javascript:window.pwned=1'>x</a>",
    "\x1b[31mred\x1b[0m \x1b]8;;http://evil.example\x07link\x1b]8;;\x07",
    "\u202egnp.exe\u202c \u2066iso\u2069 zero\u200bwidth \ufeffbom",
    "nul\x00byte bell\x07 back\x08space \x9b31m",
    "lone \ud800 surrogate",
    "{{ 7*7 }} {% raw %} ${7*7} #{7*7}",
    "http://evil.example/x.png ![x](http://evil.example/y.png)",
    "<style>@import url(http://evil.example/z.css)</style>",
    '<meta http-equiv="refresh" content="0;url=http://evil.example">',
    '"><iframe src="http://evil.example"></iframe>',
    "& &lt; &amp;lt; &#60;",
    "a" * 5000,
)
TEXT = "\n".join(HOSTILE)
NAME = '<img src=x onerror="window.pwned=1">\u202e'

SHAPES: dict[str, Shape] = {
    "normal": Shape(examples=1),
    "decided": Shape(examples=1, decided=True, measured=True),
    "single": Shape(names=("only",), dimensions=1, samples=40),
    "empty": Shape(answers="none"),
    "missing": Shape(answers="missing", samples=10),
    "many": Shape(
        names=tuple(f"candidate-{i:02d}" for i in range(12)),
        dimensions=14,
        samples=16,
        repeats=2,
        examples=0,
    ),
    "cjk": Shape(
        names=("甲型大语言模型第一版", "乙型小语言模型", "丙"),
        scenario_names=("发票合计金额抽取", "指令遵循", "推理题"),
        dimensions=3,
        samples=20,
        title="发票助手",
        label="秋季",
        prompt="这张发票的合计是多少？",
        output="合计金额为 20 元，到期日为 2025-01-01。",
        sample_ids="样本-{0}",
        targets={"合计": "20", "币种": "人民币"},
        examples=1,
    ),
    "rtl": Shape(
        names=("نموذج كبير", "نموذج صغير", "beta"),
        scenario_names=("استخراج الفواتير", "اتباع التعليمات"),
        dimensions=2,
        samples=20,
        title="مكتب الفواتير",
        prompt="ما هو المجموع في هذه الفاتورة؟",
        output="المجموع هو 20 يورو، وتاريخ الاستحقاق 2025-01-01.",
        sample_ids="عينة-{0}",
        targets={"المجموع": "20"},
        examples=1,
    ),
    "long": Shape(
        names=tuple(
            f"a-very-long-candidate-name-that-somebody-generated-from-a-path-and-a-date-2026-09-{i}"
            for i in range(4)
        ),
        scenario_names=(
            "extraction_of_every_field_of_every_document_type_we_have_ever_seen_in_this_company",
            "word " * 19,
        ),
        dimensions=2,
        samples=20,
        title="A project whose title goes on for longer than anybody would have thought wise",
        label="a label that is long, too, and has a lot to say about why this run was made",
        output="x" * 6000 + "20",
        examples=1,
        sample_ids="sample-with-an-id-that-is-a-path/to/some/file/deep/down/in/a/tree/{0}.json",
    ),
    "hostile": Shape(
        names=(NAME, "</script><b>", "plain"),
        scenario_names=("<svg onload=window.pwned=1>", "{{ 7*7 }}"),
        dimensions=2,
        samples=12,
        title="<script>window.pwned=1</script>\u200b",
        label='"><img src=x onerror=window.pwned=1>',
        prompt=TEXT,
        output=TEXT,
        system=TEXT.replace("\ud800", ""),
        sample_ids="<b>{0}</b>\u202e",
        targets={"<i>total</i>": "<u>20</u>"},
        examples=1,
        measured=True,
    ),
}


@cache
def state(name: str) -> Document:
    return document(SHAPES[name])


@cache
def page(name: str) -> str:
    return render(state(name))
