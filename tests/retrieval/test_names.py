"""Rules R3, R12 and R13: what a query names, in prose and in many domains."""

from __future__ import annotations

import pytest

from tests.retrieval.world import belief, named

Case = tuple[str, tuple[str, ...], set[str]]

WHOLE_NAMES: list[Case] = [
    ("What's next? JS is hard", ("Next.js",), set()),
    ("Next JS is hard", ("Next.js",), set()),
    ("NodeJS rocks", ("Node.js",), set()),
    ("is Next.js's build slow", ("Next.js",), {"Next.js"}),
    ("the next.JS thing", ("Next.js",), {"Next.js"}),
    ("C++17 or C++, really", ("C++", "C"), {"C++"}),
    ("plain C, not c++", ("C++", "C"), {"C++", "C"}),
    ("is .NET ok, the net effect", (".NET",), {".NET"}),
    ("an ASP.NET page", ("ASP.NET", ".NET"), {"ASP.NET"}),
    ("the dead letter queues", ("dead_letter_queue",), {"dead_letter_queue"}),
    ("dead queue letters", ("dead_letter_queue",), set()),
    ("Docker, Hub", ("Docker Hub",), set()),
    ("**Docker** Hub", ("Docker Hub",), {"Docker Hub"}),
    ("Docker\nHub", ("Docker Hub",), {"Docker Hub"}),
    ("Docker\n\nHub", ("Docker Hub",), set()),
    ("- Docker\n- Hub", ("Docker Hub",), set()),
    ("Docker — Hub", ("Docker Hub",), set()),
    ("Yahoo! Mail", ("Yahoo! Mail",), {"Yahoo! Mail"}),
    ("Yahoo Mail", ("Yahoo! Mail",), {"Yahoo! Mail"}),
    ("GPT-3.5 is old", ("GPT-3",), set()),
    ("GPT-3 is old", ("GPT-3", "GPT-3.5"), {"GPT-3"}),
    ("did we leave GPT-3? And when", ("GPT-3",), {"GPT-3"}),
    ("johnson & johnson", ("Johnson & Johnson",), {"Johnson & Johnson"}),
    ("JOHNSON&JOHNSON's", ("Johnson & Johnson",), {"Johnson & Johnson"}),
    ("johnson johnson", ("Johnson & Johnson",), set()),
    ("a 🚀 for it", ("🚀",), {"🚀"}),
    ("O'Reilly books", ("O'Reilly",), {"O'Reilly"}),
    ("at mcdonald’s", ("McDonald's",), {"McDonald's"}),
    ("old macdonald", ("McDonald's",), set()),
    ("it won't do, don't", ("won", "don"), set()),
    ("5,000 won", ("won",), {"won"}),
    ("Redis'll be fine", ("Redis",), {"Redis"}),
    ("they can't stop", ("can't stop", "can"), {"can't stop"}),
]

PLURALS: list[Case] = [
    ("our VMs are slow", ("VM",), {"VM"}),
    ("our vms are slow", ("VM",), set()),
    ("its done", ("IT",), set()),
    ("the Windows update", ("Windows",), {"Windows"}),
    ("open the window", ("Windows",), set()),
    ("is it Sass or not", ("SAS", "Sass"), {"Sass"}),
    ("jalapeños, please", ("jalapeño",), {"jalapeño"}),
]

DOMAINS: list[Case] = [
    ("metformin with an ACE inhibitor", ("Metformin", "ACE inhibitor", "ACE"),
     {"Metformin", "ACE inhibitor"}),
    ("her hepatitis C status", ("hepatitis C", "hepatitis B"), {"hepatitis C"}),
    ("after a STEMI, beta-blockers?", ("STEMI", "beta blocker"), {"STEMI", "beta blocker"}),
    ("Roe v. Wade was overturned", ("Roe v. Wade", "Wade"), {"Roe v. Wade"}),
    ("Roe v Wade was overturned", ("Roe v. Wade",), {"Roe v. Wade"}),
    ("what does art. 6 GDPR say", ("Art. 6 GDPR", "GDPR"), {"Art. 6 GDPR"}),
    ("is the force majeure clause void", ("force majeure", "majeure"), {"force majeure"}),
    ("creme brulee for six", ("Crème brûlée",), {"Crème brûlée"}),
    ("sous-vide at 54 °C", ("sous vide",), {"sous vide"}),
    ("a dash of Worcestershire", ("Worcestershire sauce",), set()),
    ("St. John's wort tea", ("St. John's wort",), {"St. John's wort"}),
    ("wire it to Deutsche Bank", ("Deutsche Bank", "Bank"), {"Deutsche Bank"}),
]  # fmt: skip

CAPITALS: list[Case] = [
    ("Go ahead", ("Go",), set()),
    ("do it in Go", ("Go",), {"Go"}),
    ("let's go", ("Go",), set()),
    ("we GO there", ("Go",), set()),
    ("PLEASE ASK IT", ("IT",), set()),
    ("ask IT about it", ("IT",), {"IT"}),
    ("IT is down", ("IT",), {"IT"}),
    ("the R&D team", ("R",), set()),
    ("it was 20 °C outside", ("C",), set()),
    ("a memorial for John F. Kennedy", ("F",), set()),
    ("what the F.D.A. says", ("F", "D"), set()),
    ("it is written in C. Then we ported it", ("C",), {"C"}),
    ("Use C. Then Rust", ("C",), {"C"}),
    ("John wants the report", ("John",), {"John"}),
    ("is peter back from france", ("Peter", "France"), {"Peter", "France"}),
    ("есть ли новости из москва", ("Москва",), {"Москва"}),
    ("security matters", ("Security",), set()),
    ("what a happy city", ("Happy", "City"), set()),
    ("Rose early today", ("Rose",), set()),
    ("in plain R please", ("R",), {"R"}),
    ("press Ctrl+C now", ("C",), set()),
    ("then D'Angelo came", ("D",), set()),
    ("a compiled one, e.g. Go", ("Go",), {"Go"}),
    ("Dr. Will said so", ("Will",), {"Will"}),
    ("it said no. Go on", ("Go",), set()),
    ("use spring to bind", ("Spring",), set()),
    ("ok. Spring is here", ("Spring",), set()),
    ("- Spring\n- summer", ("Spring",), set()),
    ("2) Spring it is", ("Spring",), set()),
    ("use Spring to bind", ("Spring",), {"Spring"}),
    ("the Spring's beans", ("Spring",), {"Spring"}),
    ("redis and more", ("Redis",), {"Redis"}),
    ("a git thing", ("Git",), {"Git"}),
    ("trip to paris", ("Paris",), {"Paris"}),
    ("mercury poisoning", ("Mercury",), set()),
    ("will mark it", ("Will", "Mark"), set()),
    ("ask Mark and Will", ("Will", "Mark"), {"Will", "Mark"}),
    ("ITに聞いて", ("IT",), {"IT"}),
    ("IT 부서에 물어봐", ("IT",), {"IT"}),
    ("itに聞いて", ("IT",), set()),
    ("用Go写，不用C", ("Go", "C"), {"Go", "C"}),
    ("ITに聞け WHO", ("IT",), set()),
    ('He said: "Go home"', ("Go",), set()),
    ("she wrote, “Go home”", ("Go",), set()),
    ('the "Go" language', ("Go",), {"Go"}),
    ("a) Spring\nb) Summer", ("Spring", "Summer"), set()),
    ("ask plan B: Spring", ("Spring",), {"Spring"}),
    ("она из г. Правда", ("Правда",), {"Правда"}),
    ("j'ai vu M. Rose hier", ("Rose",), {"Rose"}),
    ("fünf m. Rose ist da", ("Rose",), set()),
    ("Köln im Herbst, dann wien", ("Köln", "Wien"), {"Köln", "Wien"}),
    ("Roma è bella", ("Roma",), {"Roma"}),
    ("Γιώργος είπε", ("Γιώργος",), {"Γιώργος"}),
    ("київ взимку", ("Київ",), {"Київ"}),
    ("a dna test for hiv", ("DNA", "HIV"), {"DNA", "HIV"}),
    ("çok güzel bir deniz var", ("Deniz",), set()),
    ("peki ya Deniz ne diyor bu işe", ("Deniz",), {"Deniz"}),
    ("Deniz ne diyor bu işe", ("Deniz",), set()),
    ("Ankara bu yaz çok sıcak, ne yapsak", ("Ankara",), {"Ankara"}),
    ("jak jest po polsku warszawa i londyn", ("Londyn",), {"Londyn"}),
    ("o que é isso, uma obra de arte?", ("Obra",), set()),
    ("git push fails on this branch", ("Git",), {"Git"}),
    ("sarà possibile", ("Sara",), set()),
    ("è nato a Roma", ("NATO", "Roma"), {"Roma"}),
    ("un marco legal, il est marié", ("Marco", "Marie"), set()),
    ("chiedi a Marco e a Sara", ("Marco", "Sara"), {"Marco", "Sara"}),
    ("is slack down, or the rust service", ("Slack", "Rust"), {"Slack", "Rust"}),
    ("write it in Rust on Zoom", ("Rust", "Zoom"), {"Rust", "Zoom"}),
    ("python or git or docker", ("Python", "Git", "Docker"), {"Python", "Git", "Docker"}),
    ("the go tool", ("go",), {"go"}),
    ("Go tool", ("go",), {"go"}),
]

LONGEST: list[Case] = [
    ("is Apollo Hospitals open", ("Apollo", "Apollo Hospitals"), {"Apollo Hospitals"}),
    ("Apollo runs Apollo Hospitals", ("Apollo", "Apollo Hospitals"),
     {"Apollo", "Apollo Hospitals"}),
    ("New York Times subscription", ("New York", "York", "New York Times"), {"New York Times"}),
    ("New York Times Square", ("New York Times", "Times Square"),
     {"New York Times", "Times Square"}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("query", "names", "expected"), [*WHOLE_NAMES, *PLURALS, *DOMAINS, *CAPITALS, *LONGEST]
)
def test_a_query_names_exactly(query: str, names: tuple[str, ...], expected: set[str]) -> None:
    assert set(named(query, *map(belief, names))) == expected


def test_a_longer_name_of_the_persona_hides_nothing() -> None:
    expertise = belief("react depth", subtype="expertise", type="preference")
    assert named("my react depth", belief("react"), expertise) == ["react"]


def test_a_longer_name_that_is_not_eligible_hides_nothing() -> None:
    elsewhere = belief("Apollo Hospitals", scopes=("domain:other",))
    assert named("is Apollo Hospitals open", belief("Apollo"), elsewhere) == ["Apollo"]


def test_a_longer_alias_of_the_same_belief_hides_nothing() -> None:
    assert named("the Apollo program", belief("Apollo", "Apollo program")) == ["Apollo"]


def test_an_old_name_hides_like_the_name_that_replaced_it() -> None:
    old = belief("Apollo Hospitals", superseded_by="new")
    new = belief("Zeus Clinics", id="new")
    assert named("is Apollo Hospitals open", belief("Apollo"), old, new) == ["new"]


def test_the_same_name_in_several_scopes_surfaces_all() -> None:
    beliefs = [belief("staging", id=f"s{n}", scopes=(f"project:p{n}",)) for n in range(3)]
    found = named("wipe staging", *beliefs, scopes=("project:p0", "project:p2"))
    assert found == ["s0", "s2"]


def test_a_named_attribute_is_preferred() -> None:
    slots = [
        belief("Acme", attribute="ceo"),
        belief("Acme", attribute="address", attribute_aliases=("head office",)),
        belief("Acme"),
    ]
    assert named("who is the CEO of Acme", *slots) == ["Acme/ceo"]
    assert named("where is Acme's head office", *slots) == ["Acme/address"]
    assert set(named("what about Acme", *slots)) == {"Acme", "Acme/ceo", "Acme/address"}
    assert named("Acme has ceos", *slots) == ["Acme/ceo"]


def test_an_attribute_inside_the_name_is_not_named() -> None:
    slots = [belief("Port Talbot", attribute="port"), belief("Port Talbot", attribute="mayor")]
    assert len(named("tell me about Port Talbot", *slots)) == 2


@pytest.mark.parametrize("query", ["", "   \n\t", "?!... -- /// ++ #", "’", "…"])
def test_a_query_without_words_names_nothing(query: str) -> None:
    assert named(query, belief("Redis"), belief("C++")) == []


def test_a_name_without_words_is_never_named() -> None:
    assert named("what?! *** ok", belief("?!"), belief("***")) == []
