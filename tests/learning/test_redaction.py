"""Secrets never get past the door; ordinary talk does."""

from __future__ import annotations

import pytest

from belief_memory.learning import redact

# Put together here so that no scanner takes this file for a leak.
SECRETS = {
    "aws": "AKIA" + "IOSFODNN7EXAMPLE",
    "github": "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345",
    "slack": "xoxb-" + "123456789012-123456789012-abcdefghijklmnopqrstuvwx",
    "openai": "sk-proj-" + "abcdefghijklmnopqrstT3BlbkFJabcdefghij",
    "anthropic": "sk-ant-api03-" + "abcdefghijklmnopqrstuvwxyz0123456789",
    "google": "AIza" + "SyA1234567890abcdefghijklmnopqrstuvw",
    "gitlab": "glpat-" + "abcdefghij1234567890",
    "stripe": "sk_live_" + "abcdefghijklmnopqrstuvwx",
    "jwt": "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."
    "eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
    "visa": "4111 1111 1111 1111",
    "amex": "3782-822463-10005",
    "mastercard": "5555555555554444",
    "random": "q8Zt4LmXv2KpW9rTb6YhN3sD",
}


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
@pytest.mark.parametrize(
    "frame", ["{}", "use {} for now", "Here you go:\n{}\nthanks", "ключ {} для теста"]
)
def test_a_secret_is_taken_out_and_what_is_around_it_stays(secret: str, frame: str) -> None:
    clean, count = redact(frame.format(secret))
    assert count == 1
    assert secret not in clean
    before, after = frame.split("{}")
    assert clean.startswith(before)
    assert clean.endswith(after)


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("my password is hunter2secret", "hunter2secret"),
        ("mein Passwort ist Sommer2024!", "Sommer2024!"),
        ("mot de passe: Tr0ub4dor&3", "Tr0ub4dor&3"),
        ("la contraseña es Luna_7788", "Luna_7788"),
        ("пароль: qwe123rty", "qwe123rty"),
        ("My PIN is 4821", "4821"),
        ("postgres://bob:s3cr3tpw@db.internal/x", "s3cr3tpw"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----", "MIIabc"),
        ("-----BEGIN PRIVATE KEY-----\nMIIcut", "MIIcut"),
        ("Authorization: Bearer abcdEFGH1234ijklMNOP", "abcdEFGH1234ijklMNOP"),
    ],
)
def test_a_secret_told_in_a_sentence_is_taken_out(text: str, secret: str) -> None:
    clean, count = redact(text)
    assert count == 1
    assert secret not in clean


@pytest.mark.parametrize(
    "text",
    [
        "I moved to Porto in May 2024.",
        "Call me at +1 415 555 2671 or +49 151 12345678",
        "The order is 1234567890123456 and the invoice 2026-0001",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "id 550e8400-e29b-41d4-a716-446655440000",
        "The token budget is 4000, the password reset flow is broken",
        "our password policy is strict and the secret to good bread is time",
        "Donaudampfschifffahrtsgesellschaftskapitän",
        "https://example.org/some/long/path/with-many-parts/and-numbers-12345",
        "DE89 3704 0044 0532 0130 00",
        "私のパスワードを忘れました",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert redact(text) == (text, 0)


def test_several_secrets_are_counted() -> None:
    clean, count = redact(f"{SECRETS['aws']} and {SECRETS['visa']}")
    assert count == 2
    assert clean == "[redacted: aws access key] and [redacted: card number]"
