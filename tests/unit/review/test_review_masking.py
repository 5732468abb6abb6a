"""Self-identification is masked, left out or flagged; style is made even without losing a word."""

from __future__ import annotations

import re
import struct
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from befit.core.message import Message
from befit.errors import UsageError
from befit.review import masking
from befit.review.masking import HIDDEN, Lexicon
from befit.review.material import Source
from befit.review.pictures import clean_picture
from befit.review.style import counts, even
from review_world import NAMES, honest, source, world

TELLING = [
    "I am ChatGPT, a large language model trained by OpenAI.",
    "As an AI developed by Anthropic, I cannot.",
    "My name is Claude 3.5 Sonnet.",
    "Hello! I'm Gemini, made by Google.",
    "I was created by Alibaba Cloud; I am Qwen2.5.",
    "Sure.<|im_end|>",
    "[INST] hello [/INST]",
    "<think>Let me see</think>42",
    "See 【3:1†source】",
    "call_AbCdEf123456 said so",
    "Powered by GPT-4o mini",
    "Llama 3.1 at your service",
    "我是 Kimi",
    "我是ChatGPT，很高兴认识你。",
    "我是由阿里云开发的通义千问。",
    "ChatGPT는 모델입니다.",
    "由DeepSeek公司提供",
]
HARMLESS = [
    "The koala is an Australian animal and the falcon flies.",
    "You can search for it with Google.",
    "Granite is a rock; alpacas give wool.",
    "The total is 12.50 EUR.",
    "The language model of the paper has two layers.",
    "Call 555 for help; a bard sang.",
    "早餐吃豆包，晚上用百度搜索。",
    "Megallamas and chatgptish are no names.",
]


@pytest.mark.parametrize("text", TELLING)
def test_what_tells_who_it_is_is_hidden(text):
    masked, kinds = Lexicon().mask(text)
    assert HIDDEN in masked
    assert kinds
    assert not Lexicon().find(masked)


@pytest.mark.parametrize("text", HARMLESS)
def test_ordinary_words_are_left_alone(text):
    assert Lexicon().mask(text) == (text, ())


def test_the_studys_own_candidates_are_hidden_under_every_name():
    lexicon = Lexicon(["acme/acme-7b-chat", "https://api.borealis.example/v1", "careful"])
    for text in ("acme-7b-chat here", "served by Borealis", "I am careful"):
        assert HIDDEN in lexicon.mask(text)[0], text
    # a name that is a word of the language counts where the answer speaks of itself
    assert lexicon.mask("Be careful with it.") == ("Be careful with it.", ())


@pytest.mark.parametrize(
    "text",
    [
        "As Polaris-9, made by NorthLabs",
        "Polaris 9 here",
        "Polaris's answer is four",
        "Polaris and polaris",
        "\uff30\uff4f\uff4c\uff41\uff52\uff49\uff53 says four",
        "po\u200blar\u2060is",
        "\U0001d40f\U0001d428\U0001d425\U0001d41a\U0001d42b\U0001d422\U0001d42c",
        "_Polaris_ and POLARIS_LARGE",
        "Polaris Large v2",
        "As acme-7",
        "Acme 7",
        "acme_7",
        "ACME 8",
        "As Gemini, I would say four",
        "Gemini 1.5 Pro",
        "This is Grok.",
    ],
)
def test_a_candidates_own_name_is_hidden_however_it_is_written(text):
    lexicon = Lexicon(["polaris", "polaris-large", "acme7"])
    masked, kinds = lexicon.mask(text)
    assert HIDDEN in masked
    assert kinds
    assert not re.search("(?i)polaris|acme|northlabs|gemini|grok", masked)
    assert not re.search("[\uff30\u200b\u2060]", masked)
    assert lexicon.find(text, strict=True)


def test_a_name_that_is_a_common_word_counts_only_where_it_is_used_as_a_name():
    lexicon = Lexicon(["fast", "careful", "short-prompt"])
    for text in ("A fast answer.", "Fast Fourier transform", "I am fast at sums.", "as fast, or so",
                 "Be careful with a short prompt."):  # fmt: skip
        assert lexicon.mask(text) == (text, ()), text
    for text in ("I am Fast.", "As Fast, I say four.", "This is Fast", "Fast here: four",
                 "fast's answer", "fast-2", "four\n- Fast", "As Careful, no"):  # fmt: skip
        assert HIDDEN in lexicon.mask(text)[0], text


def test_a_name_that_the_question_itself_holds_is_left_readable_and_flagged():
    lexicon = Lexicon(["polaris"])
    asked = "How far away is Polaris?"
    masked, kinds = lexicon.mask("Polaris is 433 light years away.", asked=asked)
    assert masked == "Polaris is 433 light years away."
    assert kinds == (masking.IN_QUESTION,)
    masked, kinds = lexicon.mask("I am Polaris. It is far away.", asked=asked)
    assert masked == f"I am {HIDDEN}. It is far away."


def test_a_study_masks_leaves_out_or_flags(tmp_path):
    said = {NAMES[0]: "I am acme-7b", NAMES[1]: "four", NAMES[2]: "4"}
    sources = [source(i, name, f"{said[name]} {i}") for i in range(4) for name in NAMES]
    for way, pairs, excluded in (("mask", 12, 0), ("flag", 12, 0), ("exclude", 4, 8)):
        one = world(tmp_path / way, sources=sources, settings={"masking": way})
        assert (one.made.study.n_pairs, one.made.study.n_excluded) == (pairs, excluded)
        seen, _ = one.work(one.person("Ann"), honest)
        texts = " ".join(s.left.turns[0].answer + s.right.turns[0].answer for s in seen)
        assert ("acme" in texts) == (way == "flag")
        assert (HIDDEN in texts) == (way == "mask")
        assert any(s.left.flagged or s.right.flagged for s in seen) == (way != "exclude")


def test_a_user_who_quotes_an_answer_does_not_tell_who_gave_it(tmp_path):
    sources = []
    for name in NAMES[:2]:
        said = f"I am {name}"
        turns = [("user", "who?"), ("assistant", said), ("user", f"You said: {said}"),
                 ("assistant", "yes")]  # fmt: skip
        messages = tuple(Message(role=role, content=text) for role, text in turns)
        sources.append(Source(scenario="s", sample="q", candidate=name, turns=messages))
    shown = world(tmp_path, sources=sources)
    first = shown.desk().next_item(shown.person("Ann"))
    text = repr(first)
    assert not any(name in text for name in NAMES)
    assert first.left.turns[1].user == f"You said: I am {HIDDEN}"


def test_a_study_of_nothing_but_telling_answers_is_refused(tmp_path):
    sources = [source(i, name, f"I am {name} {i}") for i in range(2) for name in NAMES]
    with pytest.raises(UsageError, match="nothing to review"):
        world(tmp_path, sources=sources, settings={"masking": "exclude"})


def words_of(text):
    return re.findall(r"[^\W_]+", text)


MARKS = st.sampled_from(["# ", "## ", "- ", "* ", "> ", "1. ", "**bold** ", "`code` ", "\n", "🙂 "])
WORDS = st.from_regex(r"[a-zA-Z0-9äé]{1,8}", fullmatch=True)


@given(st.lists(st.one_of(MARKS, WORDS.map(lambda word: word + " ")), max_size=40).map("".join))
@settings(max_examples=150, deadline=None)
def test_making_style_even_keeps_every_word_and_number(text):
    assert words_of(even(text, style="plain")) == words_of(text)


def test_plain_takes_the_marks_away_and_raw_leaves_them():
    text = (
        "# Title\n\n**Yes**, *really*: `x` [link](http://a.example)\n* one\n+ two\n3) three 🎉\n---"
    )
    assert even(text, style="plain") == "Title\n\nYes, really: x link\n- one\n- two\n3. three"
    assert even(text, style="raw") == text
    code = "```python\n# no heading\nx = a * b * c\n```"
    assert even(code, style="plain") == "# no heading\nx = a * b * c"
    assert even('{"a": "**b**"}', style="plain") == '{"a": "**b**"}'


def test_style_is_counted_on_the_untouched_text():
    assert counts("# A\n## B\n**c** and **d**\n- e\n1. f") == {
        "characters": 33.0, "headers": 2.0, "bold": 2.0, "lists": 2.0
    }  # fmt: skip


def png(*, width=1, height=1, extra=b""):
    def chunk(kind, body):
        whole = kind + body
        return struct.pack(">I", len(body)) + whole + struct.pack(">I", zlib.crc32(whole))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    data = chunk(b"IDAT", zlib.compress(b"\0" * 4))
    told = chunk(b"tEXt", b"Software\0Acme") + chunk(b"eXIf", b"Acme")
    return b"\x89PNG\r\n\x1a\n" + head + told + data + chunk(b"IEND", b"") + extra


def test_a_picture_keeps_its_image_and_loses_all_else():
    cleaned = clean_picture(png(extra=b"Acme after the end"), kind="image/png")
    assert b"Acme" not in cleaned
    assert b"IDAT" in cleaned
    assert clean_picture(cleaned, kind="image/png") == cleaned


def test_a_jpeg_loses_comments_and_exif():
    def part(marker, body):
        return bytes([0xFF, marker]) + struct.pack(">H", len(body) + 2) + body

    frame = part(0xC0, b"\x08\x00\x01\x00\x01\x01\x01\x11\x00")
    raw = b"\xff\xd8" + part(0xE0, b"JFIF\0\x01\x01\0\0\x01\0\x01\0\0") + part(0xE1, b"Exif Acme")
    raw += part(0xFE, b"made by Acme") + frame + part(0xDA, b"\x01\x01\0\0\x3f\0") + b"\x12\xff\xd9"
    cleaned = clean_picture(raw + b"Acme", kind="image/jpeg")
    assert b"Acme" not in cleaned
    assert cleaned.endswith(b"\xff\xd9")
    assert b"JFIF" in cleaned


def test_bombs_and_damaged_or_strange_pictures_are_not_shown():
    assert clean_picture(png(width=60_000, height=60_000), kind="image/png") is None
    assert clean_picture(png()[:30], kind="image/png") is None
    assert clean_picture(b"<svg onload=alert(1)>", kind="image/svg+xml") is None
    assert clean_picture(png(), kind="image/gif") is None
    assert clean_picture(b"\xff\xd8\xff", kind="image/jpeg") is None


def found_by_trying_everywhere(lexicon, text):
    """Return what each pattern finds when it is tried at every place."""
    patterns = [(pattern, None) for _, _, pattern in masking.SPECIAL]
    patterns += [(name.pattern, name) for name in lexicon._names]
    itself = masking._OfItself(text)
    return {
        place
        for pattern, name in patterns
        for m in pattern.finditer(text)
        if name is None or masking._tells(name, m, itself)
        for place in range(m.start(), m.end())
    }


WORDS = [*TELLING, *HARMLESS, "m\u0131stral", "\u017fmollm", "GPT 3.5 turbo", "gpt-neox", "bloom",
         "command r+", "yi-34b", "palm 2", "<s>", "[INST]", "careful acme-7b", "chat", "<|im_end|>",
         "I'm gemini", "call_abcdefgh12", "claude 3 opus"]  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=5), st.sampled_from([" ", "", "\n", ", "]))
def test_the_quick_search_finds_what_trying_every_place_finds(words, between):
    lexicon = Lexicon(["acme-7b", "careful", "zeta-large@prompt-7"])
    text = between.join(words)
    quick = {n for one in lexicon.find(text) for n in range(one.start, one.end)}
    assert quick == found_by_trying_everywhere(lexicon, text)


def test_candidates_named_in_chinese_are_hidden_without_spaces_around():
    assert Lexicon(["甲型"]).mask("答案由甲型给出")[0] == f"答案由{HIDDEN}给出"


def test_no_word_of_the_sentence_goes_with_a_name():
    assert Lexicon().mask("由DeepSeek-V3公司提供答案")[0] == f"由{HIDDEN}公司提供答案"


def test_names_in_letters_as_wide_as_chinese_ones_are_hidden():
    lexicon = Lexicon(["acme-7b"])
    masked, _ = lexicon.mask("\u6211\u662f\uff23\uff48\uff41\uff54\uff27\uff30\uff34\u3002")
    assert masked == f"\u6211\u662f{HIDDEN}\u3002"
    assert lexicon.mask("(\uff21\uff23\uff2d\uff25\uff0d\uff17\uff22)")[0] == f"({HIDDEN})"
