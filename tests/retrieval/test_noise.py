"""Rule R10: code, URLs, paths, traces and ids are not read; the prose around them is."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from belief_memory.retrieval.noise import NOISE, mask
from tests.retrieval.world import belief, named

HIDDEN = [
    "```\nredis\n```",
    "look:\n```python\nimport redis\n```\nthanks",
    "> ```\n> redis\n> ```",
    "1. like so\n   ```\n   redis\n   ```\n2. ok",
    "so ```\nredis\n``` it is",
    "~~~\nredis\n~~~",
    "````\n```\nredis\n```\n````",
    "unclosed:\n```\nredis and more redis",
    "see https://redis.io/docs?x=redis#redis now",
    "(www.example.com/redis)",
    "s3://redis/x",
    "github.com/acme/redis for more",
    "在https://example.com/redis里",
    "in /var/lib/redis/dump.rdb",
    "open ./redis or ../redis/x or ~/redis",
    "src/redis/client.py:12 fails",
    "redis/client.py fails",
    "look into src/redis/client",
    "some/redis/",
    "Rezepte/redis.pdf bitte",
    "Фото/redis/кадр.jpg",
    "auf bäckerei-redis.de/redis zu lesen",
    "на redis.рф/redis",
    r"C:\redis\redis.conf is gone",
    r"\\host\redis\share",
    (
        "Traceback (most recent call last):\n"
        '  File "/srv/redis/a.py", line 1, in redis\n    redis()\n'
        "redis.exceptions.ConnectionError: redis is down\n"
    ),
    (
        "java.lang.IllegalStateException: redis\n"
        "\tat redis.clients.Jedis.connect(Jedis.java:12)\n\t... 3 more\n"
        "Caused by: redis.Oops: redis\n"
        "\tat redis.A.b(A.java:1)\n"
    ),
    "TypeError: redis is undefined\n    at redis (/srv/x.js:1:2)\n    at /srv/redis/y.js:3:4\n",
    "panic: redis down\n\ngoroutine 1 [running]:\nmain.redis(0x1)\n\t/srv/redis/main.go:12 +0x1d\n",
    "Unhandled exception. System.Redis: redis\n   at A.Redis.C(String s) in C:\\x.cs:line 3\n",
    "app.rb:3:in `redis': redis (RuntimeError)\n\tfrom app.rb:9:in `redis'\n",
]

READ = [
    "redis: ```\nx\n``` then?",
    "`redis` is inline",
    "what is ```redis``` here",
    "~~redis~~ struck out",
    "redis/kafka/mysql, all of them",
    "Redis/Node.js, both of them",
    "Redis/Logging",
    "kafka and/or redis",
    'Traceback (most recent call last):\n  File "a", line 1\nValueError: x\nit was redis',
    "TypeError: x\n    at f (/a.js:1:2)\nso is it redis?",
    "we meet\nat redis (the bar)\nand eat",
    "(redis)",
    "see https://example.com, redis",
    "[redis](https://example.com/x)",
    "edit redis.conf",
]


@pytest.mark.parametrize("query", HIDDEN)
def test_names_in_noise_are_not_read(query: str) -> None:
    assert named(query, belief("redis")) == []


@pytest.mark.parametrize("query", READ)
def test_names_in_prose_are_read(query: str) -> None:
    assert named(query, belief("redis")) == ["redis"]


@pytest.mark.parametrize(
    "id", ["a1b2c3d4", "9F8E7D6C5B4A", "0xdeadbeef01", "550e8400-e29b-41d4-a716-446655440000"]
)
def test_hex_ids_are_noise(id: str) -> None:
    assert mask(f"commit {id}, ok") == f"commit {NOISE * len(id)}, ok"


@pytest.mark.parametrize("word", ["deadbeef", "facade", "20240115", "12345678", "e5f6"])
def test_words_numbers_and_short_ids_are_not_hex_ids(word: str) -> None:
    assert mask(f"the {word} is") == f"the {word} is"


@pytest.mark.parametrize(
    "prose",
    [
        "TCP/IP, CI/CD and/or R/W",
        "Node.js/Express, Vue/Nuxt.js",
        "use @acme/ui-kit here",
        "24/7 w/o AT&T",
        "- [ ] a task\n- [x] done",
        "I am\nfrom there: yes",
        "fly.io and example.com",
    ],
)
def test_ordinary_prose_is_left_alone(prose: str) -> None:
    assert mask(prose) == prose


PIECES = st.sampled_from(
    ["```", "~~~", "\n", " ", "/", "a/b.py", "http://", "x", "at a.b(c:1)", "`", "Error: y", "\\",
     'File "x", line 1', "Traceback (most recent call last):", "a1b2c3d4", "東", "#0 x("]
)  # fmt: skip


@settings(deadline=None)
@given(st.lists(PIECES, max_size=25).map("".join))
def test_masking_keeps_every_offset(text: str) -> None:
    masked = mask(text)
    assert len(masked) == len(text)
    assert all(new in (old, NOISE) for new, old in zip(masked, text, strict=True))


@pytest.mark.parametrize(
    "piece",
    ["a/", "a.", "a-", "\\a", "`", "```a", "\n", " \n", "www.", "f0", "at a.b(c)\n", "x: y\n",
     "https://", "$a", "@a/", "> "],
)  # fmt: skip
def test_odd_input_is_masked_without_a_blow_up(piece: str) -> None:
    text = piece * 20_000 + "/x"
    assert len(mask(text)) == len(text)
