"""Personal data that hides: in escapes, URLs, records, between other numbers, in ids and keys."""

from __future__ import annotations

import base64
import json
import time

import pytest

from befit.core.interaction import Interaction, Outcome
from befit.core.message import Message, ToolCall
from befit.datasets.redact import Redactor
from befit.datasets.redact_options import Redaction

ENCODED = base64.b64encode(b"anna.schmidt@example.org").decode()
HIDDEN = [
    ("Card 4111 1111 1111 1111 12/28 cvv 737", ("1111", "12/28", "737")),
    ("Order 1234 4111 1111 1111 1111 thanks", ("4111",)),
    ("Anna,4111111111111111,12/28", ("4111", "12/28")),
    ("4111 1111 1111 1111 exp. date: 03/2027", ("1111", "03/2027")),
    ("5500005555555559 gültig bis 11/29", ("5555", "11/29")),
    ("card-4111111111111111, 4012.8888.8888.1881", ("4111", "8888")),
    ("4111\u00a01111\u00a01111\u00a01111", ("1111",)),
    ("\uff14" + "\uff11" * 15, ("\uff11\uff11",)),
    ("Nr AB12 DE89 3704 0044 0532 0130 00", ("0532",)),
    ("IBAN DE89\u202f3704\u202f0044\u202f0532\u202f0130\u202f00", ("0532",)),
    ("IBAN: DE89  3704  0044  0532  0130  00", ("0532",)),
    (r'{"mail": "anna\u0040example.org"}', ("example",)),
    (r'{"text": "Hello\nAnna Schmidt wrote"}', ("Schmidt",)),
    (r'{"name": "J\u00fcrgen M\u00fcller"}', ("rgen", "ller")),
    ('{"customer_name": "Tanneberger"}', ("Tanneberger",)),
    ("anna&#64;example.org", ("example",)),
    ("https://x.example/?u=anna%2Eschmidt%40example.org&n=J%C3%BCrgen", ("anna", "rgen")),
    ("an\u200bna@exam\u200bple.org", ("exam",)),
    ("anna @ example.org, anna dot schmidt at example dot org", ("anna", "schmidt")),
    ("OPENAI_API_KEY=abcd1234efgh5678", ("abcd1234",)),
    ("AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ("wJalr", "EXAMPLE")),
    ('{"password": "letmein"} and password=letmeout', ("letmein", "letmeout")),
    ("https://s3.example.org/x?X-Amz-Signature=0a1b2c3d4e5f60718293&x=1", ("0a1b2c3d",)),
    ("https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXX", ("XXXXXX",)),
    ("My PIN is 4821, the verification code: 482913", ("4821", "482913")),
    ("wa.me/4915112345678 or Anna,+49 30 901820,Berlin", ("12345678", "901820")),
    ("mysql --password hunter2x; curl -u bob:hunter3x https://x.example", ("hunter2x", "hunter3x")),
    ("Mein Kennwort lautet Sommer2024, le mot de passe est Ete2024!", ("Sommer", "Ete2024")),
    ("From: Threnody Vale <t@example.org>", ("Threnody", "t@")),
    ("ssn: 078051120, my number is 212 736 5000", ("078051120", "5000")),
    (
        "Mme Le Goff, Prof. Dr. med. Wiebke Thode, <p>name: Ysaline Roux</p>",
        ("Goff", "Thode", "Roux"),
    ),
    (f"login {ENCODED}", (ENCODED,)),
    ("<< [2001:db8::1]:443 and 10.0.0.7/24 >>", ("2001:db8", "10.0.0.7")),
]
PLAIN = [
    "The meeting on 12/28 about card prices, 4111 cards of 2026, 03/27 and 1234 5678 9012.",
    "The token budget is 4096 and max_tokens=256; the primary key is id.",
    "San Francisco and Saint-Denis are cities, 'first_token': 0.34 is a time.",
    "Please call me about order 20261129001, not about version 3.",
    "value = weights @ np.nan and x[::2] are code, 100%25 and a%20b are not e-mails.",
    "The pin is bent, the code 12 fails, session notes follow.",
]


def redactor(**options):
    return Redactor(Redaction(locales=("de", "fr", "es", "us", "zh"), **options), key=b"k")


@pytest.mark.parametrize(("text", "secrets"), HIDDEN)
def test_what_hides_is_found(text, secrets):
    shown = redactor().text(text, scope="c")
    assert not [secret for secret in secrets if secret in shown], shown


@pytest.mark.parametrize("text", PLAIN)
def test_words_and_numbers_that_only_look_like_it_stay(text):
    assert redactor().text(text, scope="c") == text


def exchange(**facts):
    asked = (Message(role="user", content="Hello"),)
    return Interaction(**{"id": "x", "ts": "", "messages": asked, **facts})


def call(**arguments):
    return (ToolCall(id="1", name="f", arguments=json.dumps(arguments)),)


def test_keys_of_a_record_say_what_their_values_are():
    held = redactor().interaction(
        exchange(
            tool_calls=call(
                password="letmein",  # noqa: S106 - planted
                apiKey="abcd1234",
                phone=4915112345678,
                customerName="Tanneberger",
                city="Berlin",
                n=4,
                body=json.dumps({"deep": json.dumps({"password": "letmein"})}),
            ),
            tags={"customer_name": "Tanneberger", "bob@example.org": "x"},
        )
    )
    shown = held.model_dump_json()
    for secret in ("letmein", "abcd1234", "4915112345678", "Tanneberger", "bob@"):
        assert secret not in shown
    told = json.loads(held.tool_calls[0].arguments)
    assert (told["city"], told["n"]) == ("Berlin", 4)
    json.loads(json.loads(told["body"])["deep"])


def test_ids_and_names_of_things_that_hold_an_address_are_replaced_whole():
    made = redactor()
    held = made.interaction(
        exchange(
            id="mail:anna@example.org",
            conversation_id="whatsapp:+4915112345678",
            channel="anna@example.org",
            config_id="for-anna@example.org",
            error_class="user anna@example.org is unknown",
            tool_calls=(ToolCall(id="anna@example.org", name="anna@example.org", arguments="{}"),),
        )
    )
    shown = held.model_dump_json()
    assert "anna@" not in shown
    assert "4915112345678" not in shown
    outcome = made.outcome(Outcome(ref="mail:anna@example.org", ts="", event="takeover"))
    assert outcome.ref == held.id
    assert made.interaction(exchange(id="chatcmpl-9f86d081884c7d65")).id.startswith("chatcmpl-")


def test_the_same_value_written_otherwise_has_the_same_pseudonym():
    made = redactor()
    texts = ["anna@example.org", r"\"anna\u0040example.org\"", "ANNA%40example.org"]
    marks = {made.text(text, scope="c").strip('\\"') for text in texts}
    assert len(marks) == 1


def test_a_long_word_or_many_names_cost_no_more_than_their_length():
    made = redactor()

    def spent(size):
        texts = ["a" * size + " @ dot ", "a." * (size // 2) + " @", "Anna " * (size // 5)]
        began = time.process_time()
        for text in texts:
            made.text(text, scope="c")
        return time.process_time() - began

    spent(500)
    # Eight times the text: linear is 8, the square of it 64.
    assert spent(40_000) < 30 * max(spent(5_000), 0.005)
