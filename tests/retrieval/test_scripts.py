"""Rule R3 in other scripts and languages."""

from __future__ import annotations

import pytest

from tests.retrieval.world import belief, named

CASES: list[tuple[str, tuple[str, ...], set[str]]] = [
    # Japanese
    ("私は東京に住んでいます", ("東京",), {"東京"}),
    ("東京タワーに行く", ("東京", "東京タワー"), {"東京タワー"}),
    ("アマゾンプライムを見る", ("アマゾン",), set()),
    ("アマゾンで買う", ("アマゾン",), {"アマゾン"}),
    ("アマゾン・プライム", ("アマゾン・プライム",), {"アマゾン・プライム"}),
    ("ﾊﾞｽで行く", ("バス",), {"バス"}),
    ("ハスの花", ("バス",), set()),
    ("Redisを使う", ("Redis",), {"Redis"}),
    ("Redisキャッシュは", ("Redis キャッシュ",), {"Redis キャッシュ"}),
    ("東京、タワー", ("東京タワー",), set()),
    # Chinese
    ("我们在北京大学学习", ("北京", "北京大学"), {"北京大学"}),
    ("木材", ("木",), set()),
    ("选 木 吗", ("木",), {"木"}),
    ("把MySQL换成Redis吧", ("MySQL", "Redis"), {"MySQL", "Redis"}),
    # Korean
    ("레디스를 쓰나요", ("레디스",), {"레디스"}),
    ("김치찌개 만들기", ("김치",), set()),
    ("배추김치는 맛있다", ("김치",), set()),
    ("서울에서는 뭐해", ("서울",), {"서울"}),
    ("깃허브 액션이 느려", ("깃허브 액션", "깃허브"), {"깃허브 액션"}),
    ("Redis를 재시작", ("Redis",), {"Redis"}),
    ("Kuberntes를 재시작", ("Kubernetes",), {"Kubernetes"}),
    ("Kuberntes서버", ("Kubernetes",), set()),
    ("김민수씨는 어디 있어", ("김민수",), {"김민수"}),
    # Thai
    ("ผมชอบกาแฟเย็น", ("กาแฟ",), {"กาแฟ"}),
    ("ฉันอยู่ที่กรุงเทพ", ("ที", "กรุงเทพ"), {"กรุงเทพ"}),
    # Cyrillic
    ("наряжаем ЁЛКУ и елку", ("ёлку",), {"ёлку"}),
    ("склад № 7 закрыт", ("склад №7",), {"склад №7"}),
    ("склад 7 закрыт", ("склад №7",), {"склад №7"}),
    ("где мой иод", ("йод",), set()),
    ("в Екатеринбурк поедем", ("Екатеринбург",), {"Екатеринбург"}),
    ("москве холодно", ("Москва",), set()),
    ("Кафка лежит", ("Кафка",), {"Кафка"}),
    # Arabic, Hebrew
    ("أين القَاهِرَة الآن", ("القاهرة",), {"القاهرة"}),
    ("ירושלים היא", ("ירושלים",), {"ירושלים"}),
    ("גרים בתל אביב", ("תל אביב",), set()),
    ("מלון תל־אביב", ("תל אביב",), {"תל אביב"}),
    ("יְרוּשָׁלַיִם של זהב", ("ירושלים",), {"ירושלים"}),
    ('דובר צה"ל', ("צה״ל",), {"צה״ל"}),
    ("في مدينة القاهرة", ("قاهرة",), set()),
    # Turkish
    ("İSTANBUL'da hava", ("İstanbul",), {"İstanbul"}),
    ("istanbul'un nüfusu", ("İstanbul",), {"İstanbul"}),
    ("Iğdır'a nasıl", ("ığdır",), {"ığdır"}),
    # Polish, German, Danish, Vietnamese, Greek, Hindi
    ("jadę do lodz", ("Łódź",), {"Łódź"}),
    ("in der Strasse", ("Straße",), {"Straße"}),
    ("das Redshift-Cluster läuft", ("Redshift",), {"Redshift"}),
    ("et smorrebrod, tak", ("smørrebrød",), {"smørrebrød"}),
    ("o Việt Nam", ("Viet Nam",), {"Viet Nam"}),
    ("στην Ελλαδα", ("Ελλάδα",), {"Ελλάδα"}),
    ("हिन्दी भाषा में", ("हिन्दी भाषा",), {"हिन्दी भाषा"}),
    # Width, invisible characters
    ("ｕｓｅ　Ｒｅｄｉｓ", ("Redis",), {"Redis"}),
    ("Re\u00addis and na\u200bmes", ("Redis",), {"Redis"}),
]


@pytest.mark.parametrize(("query", "names", "expected"), CASES)
def test_a_query_names_exactly(query: str, names: tuple[str, ...], expected: set[str]) -> None:
    assert set(named(query, *map(belief, names))) == expected
