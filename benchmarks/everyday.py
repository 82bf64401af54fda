"""Sentences people say to one another about their days: written here, put together by chance.

None of them is about software, a brand or a product, so whatever belief they recall among
names of such things is recalled wrongly.
"""

from __future__ import annotations

import random
import re

_WORDS = {
    "who": "I|we|my sister|my brother|our neighbour|the children|Anna|Peter|Maria|Thomas|Laura"
    "|my aunt Helen|the doctor|his wife|her husband|everybody|nobody here|the new teacher"
    "|an old friend of mine|the woman next door|Daniel|Sofia|Henry|my parents",
    "whom": "my sister|our neighbours|the children|Anna|Peter|my boss|the landlord|grandma"
    "|the whole family|two friends from school|the man at the counter|Robert|Elena",
    "place": "the garden|the kitchen|the market|the station|school|the lake|town|the mountains"
    "|London|Paris|the village|the beach|the office|the library|the hospital|church"
    "|the old bridge|a small hotel|the airport|Spain|the corner shop|the swimming pool",
    "thing": "a bicycle|an umbrella|the red coat|two loaves of bread|a birthday cake|the keys"
    "|a new kettle|flowers|the heavy box|some apples|a letter|the old photographs|a warm blanket"
    "|a pair of boots|the spare mattress|a basket of plums|tickets for the concert|a ladder",
    "food": "soup|roast chicken|pancakes|rice with beans|a salad|fish|bread and cheese|noodles"
    "|potato dumplings|apple pie|lentils|fried eggs|a bowl of porridge|cherry jam|lamb stew",
    "when": "yesterday|this morning|last night|on Sunday|in the spring|before lunch|at noon"
    "|two weeks ago|in August|after the rain|next summer|on the way home|every evening|again"
    "|around half past six|once the guests had gone|during the holidays",
    "did": "forgot|found|bought|borrowed|lost|brought|carried|mended|wrapped|dropped|sold"
    "|kept|hid|washed|painted|noticed",
    "went": "walked|drove|went|moved|cycled|hurried|travelled|wandered|came back|got lost on"
    " the way",
    "felt": "tired|happy|a bit cold|hungry|nervous|proud|bored|relieved|angry|lonely|cheerful"
    "|sleepy|grateful|embarrassed|restless",
    "weather": "It rained|The wind was howling|It was freezing|The sun came out|It snowed|The fog"
    " lifted|It thundered|A mild breeze blew",
    "animal": "the dog|a cat|two sheep|the neighbour's parrot|a hedgehog|the horses|a swallow"
    "|the goat|some ducks|a young fox",
    "do": "sleep|argue|dance|cook|sing|cry|laugh|read|wait|rest|pack|sweep the floor|play cards"
    "|knit|peel potatoes|water the plants|take a nap",
}
_CHOICES = {name: words.split("|") for name, words in _WORDS.items()}
_SENTENCES = (
    "{who} {did} {thing} {when}.",
    "{who} {went} to {place} {when}, because nobody wanted to {do}.",
    "{weather} {when}, so {who} stayed at {place} and made {food}.",
    "Could you tell {whom} that {who} {did} {thing}?",
    "Why did {who} {do} all night?",
    "When {who} felt {felt}, there was always {food}.",
    "{animal} ran away from {place} {when}, and {who} felt {felt}.",
    "I would rather {do} than eat {food} with {whom}.",
    "Is it true that {who} {went} to {place} with {thing}?",
    "Please do not {do} while {whom} is at {place}.",
    "{who} said that {food} tastes better at {place}.",
    "Whose turn is it to {do} {when}?",
    "{who} and {whom} {did} {thing} at {place} {when}.",
    "What shall we cook {when}, {food} or {food}?",
    "After {food}, {who} {went} to {place} and {did} {thing}.",
    "{weather}, and {animal} slept near {place}.",
    "I have never seen {whom} so {felt} as when {who} {did} {thing}.",
    "Let us {do} first and go to {place} later.",
    "They say {who} {did} {thing}, but I do not believe it.",
    "Next to {place} {animal} was waiting for {whom}.",
)


def everyday(count: int, seed: int = 3) -> list[str]:
    """So many distinct sentences, the same each time."""
    chance = random.Random(seed)
    found: dict[str, None] = {}
    while len(found) < count:
        text = re.sub(
            r"\{(\w+)\}",
            lambda match: chance.choice(_CHOICES[match[1]]),
            chance.choice(_SENTENCES),
        )
        found[text[0].upper() + text[1:]] = None
    return list(found)
