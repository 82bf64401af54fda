"""What is known, and what is said. Replace it by what your agent knows and hears."""

from __future__ import annotations

from dataclasses import dataclass

# What a topic is called: the subject of its beliefs, and its other names.
NAMES: dict[str, list[str]] = {
    "sourdough_starter": ["sourdough", "starter", "mother culture"],
    "adler_mill": ["Adler", "the mill"],
    "deck_oven": ["deck oven", "Bongard"],
    "halloran_wedding": ["Hallorans", "wedding cake"],
    "lease": ["landlord", "rent"],
    "ines": ["apprentice"],
    "cargo_bike": ["cargo bike", "Babboe"],
    "saturday_market": ["Saturday market", "market stall"],
    "luca": ["my son"],
}
BELIEFS: list[tuple[str, str, str]] = [
    ("sourdough_starter", "feeding", "Fed at 6:00, equal parts rye and water at 28 degrees."),
    ("sourdough_starter", "backup", "The backup jar is in the fridge, two feeds from ready."),
    ("sourdough_starter", "age", "It was begun in 2011 with apples from the garden."),
    ("adler_mill", "orders", "Orders close on Tuesday at noon for Thursday's delivery."),
    ("adler_mill", "price", "Rye costs 0.94 a kilo from 500 kilos on."),
    ("deck_oven", "fault", "The left deck runs 12 degrees hot."),
    ("halloran_wedding", "cake", "Three tiers, lemon and elderflower, on Saturday the 14th."),
    ("halloran_wedding", "allergy", "No hazelnuts: the bride is allergic."),
    ("halloran_wedding", "delivery", "To the boathouse by 11:00, through the back gate."),
    ("lease", "increase", "It goes up by 3 % every January."),
    ("ines", "exam", "Ines has her exam on 8 May and needs the two days before off."),
    ("ines", "shift", "Ines works from 4:00 to noon, never on Sundays."),
    ("cargo_bike", "battery", "The battery lasts 40 km, 25 in the cold."),
    ("saturday_market", "stand", "Stand 17, between the cheese and the flowers."),
    ("saturday_market", "permit", "The permit runs out at the end of June."),
    ("luca", "school", "Luca has to be fetched from school at 15:30."),
    ("luca", "violin", "Luca has his violin lesson on Wednesdays at 17:00."),
]


@dataclass(frozen=True)
class Turn:
    """What the user says; the topic it is about; the attributes that it asks for."""

    says: str
    topic: str = ""
    needs: tuple[str, ...] = ()


CONVERSATION = [
    Turn("When does the sourdough get its breakfast?", "sourdough_starter", ("feeding",)),
    Turn("Can I still order from Adler for this week?", "adler_mill", ("orders",)),
    Turn("The Bongard burned a whole tray on the left.", "deck_oven", ("fault",)),
    Turn("Are the Hallorans fine with a nut base?", "halloran_wedding", ("cake", "allergy")),
    Turn("What will the landlord want next year?", "lease", ("increase",)),
    Turn("Can Ines cover for me on Sunday the 7th?", "ines", ("exam", "shift")),
    Turn("Is 30 km in January fine for the cargo bike?", "cargo_bike", ("battery",)),
    Turn("Until when may I have the market stall?", "saturday_market", ("permit",)),
    Turn("My son is somewhere else on Wednesday, isn't he?", "luca", ("violin",)),
    Turn("What a day. Tell me something funny."),
    Turn("Back to work: is the mother culture hungry?", "sourdough_starter", ("feeding",)),
    Turn("How soon can the bubbly jar raise a loaf?", "sourdough_starter", ("backup",)),
    Turn("The bubbly jar, I said. How soon?", "sourdough_starter", ("backup",)),
]
# What an extractor, or you, would note after the turn that missed; both memories get it.
LEARNED_AFTER = {11: ("sourdough_starter", "bubbly jar")}
