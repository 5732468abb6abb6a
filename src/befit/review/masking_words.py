"""The words by which answers tell who they are: vendors, families, marks of formats.

Lists only; `masking.py` says what is done with them.
"""

from __future__ import annotations

import re

VENDORS = (
    "openai",
    "anthropic",
    "deepmind",
    "mistral ai",
    "mistralai",
    "meta ai",
    "alibaba cloud",
    "tongyi lab",
    "deepseek",
    "moonshot ai",
    "zhipu",
    "minimax",
    "cohere",
    "ai21",
    "xai",
    "nvidia",
    "microsoft",
    "google ai",
    "google",
    "baidu",
    "tencent",
    "bytedance",
    "01.ai",
    "stability ai",
    "together ai",
    "databricks",
    "eleutherai",
    "hugging face",
    "huggingface",
    "lmsys",
    "01ai",
    "ibm research",
    "technology innovation institute",
    "阿里云",
    "百度",
    "腾讯",
    "字节跳动",
    "智谱",
    "月之暗面",
    "深度求索",
    "科大讯飞",
)
FAMILIES = (
    r"chat\s?gpt",
    r"gpt[-\s]?\d[a-z\d.]*(?:[-\s](?:turbo|mini|nano|pro))?",
    r"gpt[-\s]?neo[a-z\d]*",
    "gpt-j",
    r"claude(?:[-\s]?(?:instant|opus|sonnet|haiku))?(?:[-\s]?v?\d[\d.]*)?",
    r"gemini[-\s]?(?:\d\.\d|pro|flash|ultra|nano)(?:[-\s](?:pro|flash|ultra|nano|lite|\d\.\d))*",
    "gemini",
    r"gemma(?:[-\s]?\d)?",
    r"llama(?:[-\s]?\d[\d.]*)?",
    "mixtral",
    "ministral",
    r"mistral(?:[-\s]?\d[a-z\d]*)?",
    r"qwen[\d.]*",
    "qwq",
    r"deepseek[-a-z\d]*",
    "kimi",
    r"chatglm[a-z\d]*",
    r"glm[-\s]?\d[\d.]*",
    "ernie bot",
    "hunyuan",
    "doubao",
    r"phi[-\s]?\d[\d.]*",
    r"command[-\s]r\+?",
    r"grok[-\s]?\d(?:\.\d)?",
    "grok",
    "vicuna",
    "alpaca",
    "koala",
    r"falcon[-\s]?\d+b",
    "falcon",
    "stablelm",
    "dolly",
    "openassistant",
    "open assistant",
    "guanaco",
    r"wizard\s?lm",
    "bard",
    "palm 2",
    "copilot",
    "smollm",
    "olmo",
    "nemotron",
    r"granite[-\s]?\d\.\d",
    "granite",
    "jamba",
    "bloomz?",
    r"yi-\d[a-z\d]*",
    "zephyr",
    "通义千问",
    "文心一言",
    "讯飞星火",
    "智谱清言",
    "豆包",
    "混元",
)
ORDINARY = frozenset(
    {
        "google",
        "microsoft",
        "nvidia",
        "falcon",
        "granite",
        "alpaca",
        "koala",
        "gemini",
        "copilot",
        "dolly",
        "zephyr",
        "bard",
        "olmo",
        "grok",
        "baidu",
        "tencent",
        "minimax",
        "cohere",
        "xai",
        "kimi",
        "ibm research",
        "guanaco",
        "together ai",
        "阿里云",
        "百度",
        "腾讯",
        "字节跳动",
        "科大讯飞",
        "豆包",
        "混元",
    }
)
"""Words with a life of their own: a sign only where the answer speaks of itself."""
SPECIAL = (
    (
        "thoughts",
        ("<think", "<reasoning"),
        re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE),
    ),
    (
        "special token",
        ("<|", "[inst]", "[/inst]", "<<", "<s>", "</s>", "<start_", "<end_", "<\uff5c", "[unused",
         "[gmask]"),
        re.compile(
            r"<\|[\w\-.: ]{1,40}\|>|\[/?INST\]|<</?SYS>>|</?s>|<(?:start|end)_of_turn>|"
            r"<\uff5c[^>]{1,40}\uff5c>|\[(?:UNUSED_TOKEN_\d+|gMASK)\]"
        ),
    ),
    (
        "tool id",
        ("call_", "toolu_", "chatcmpl", "msg_", "fc_"),
        re.compile(r"\b(?:call|toolu|chatcmpl|chatcmpl-tool|msg|fc)_[A-Za-z0-9]{8,}\b"),
    ),
    (
        "citation",
        ("\u3010", "[^"),
        re.compile(r"\u3010\d+(?::\d+)?\u2020[^\u3011]{0,40}\u3011|\[\^\d+\^\]"),
    ),
    (
        "made by",
        ("large language model", "language model", "ai assistant", "ai model", "ai chatbot"),
        re.compile(
            r"\b(?:large language model|language model|ai (?:assistant|model|chatbot))"
            r"(?:,)?\s+(?:trained|developed|created|made|built|designed)\s+by\s+"
            r"(?:[\w.&'-]+[ ]?){1,3}",
            re.IGNORECASE,
        ),
    ),
)  # fmt: skip
"""Kind, what every match begins with (lower case), pattern."""
PLAIN_WORDS = frozenset(
    {
        "base",
        "https",
        "http",
        "localhost",
        "example",
        "server",
        "online",
        "cloud",
        "inference",
        "openrouter",
        "chat",
        "instruct",
        "large",
        "small",
        "medium",
        "mini",
        "turbo",
        "fast",
        "prompt",
        "short",
        "long",
        "local",
        "test",
        "main",
        "baseline",
        "model",
        "preview",
        "latest",
        "default",
        "with",
        "hint",
        "free",
        "text",
        "code",
        "data",
        "alpha",
        "beta",
        "gamma",
        "delta",
    }
)
COMMON_WORDS = frozenset(
    """
    about above accurate active actual after again agent alone also always angry answer answers
    apple assistant author average backup basic best better between black blue bold both brief
    bright brisk broad broken brown calm candidate careful case casual cautious cheap check chosen
    clean clear clever close coach cold common compact complete concise contrary control cool copper
    copy correct cosy crisp current custom daily dark deep demo dense detailed different direct
    doctor double down draft dull dummy eager early earth east easy echo editor eight empty engine
    english epsilon even every exact example expert explicit extra fair fake false fancy fifth fine
    fire first five fixed flash flat fluent focus formal four fourth french fresh friend friendly
    full function funny further gamma general gentle german given global gold golden good grand gray
    great green grey grumpy guard guest guided half happy hard harsh heavy helper here hero high
    honest human humble idle input iron judge just kappa keen kind king known lambda last late
    lawyer lazy lean left less level light limited literal little live loose loud lower many master
    medium mixed mock modern module more most much naive narrow native near neat neutral never next
    nice nine noisy none normal north novel omega only open option orange order original other
    output paid pale parrot partial past patient perfect person plain plus polite poor prime private
    project proper proud public pure purple queen quick quiet random rapid rare reader ready real
    record recorded reference regular remote replay reply response rest review rich right risky
    robust rough round rude runner same sample sane scout script second secret secure serious server
    seven shallow sharp sigma silent silver simple single sixth slim sloppy slow smart smooth soft
    solid some south spare sparse special stable standard star static steady steel step stern stiff
    still stone straight strange strict strong stub student study stupid style subtle sure swayed
    sweet swift system table talk tall target teacher tense terse theta thick thin third three tight
    tiny tired tool tough true trusted tutor twin ultra under unit upper urgent user usual utils
    vague variant various verbose version very vivid warm water weak wide wild wind wise wood wordy
    worker worse writer wrong yellow young zero zeta
    """.split()  # noqa: SIM905 - five hundred words one a line would hide the rest of the file
)
"""Words of the language that configurations are called by, and that answers use as words."""
