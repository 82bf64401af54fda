"""Attributes of a user, who speaks, and questions that name an attribute (data)."""

from __future__ import annotations

from typing import Final

SYNONYMS: Final = {
    "residence": "home city location address home_city home_address lives_in current_city country"
    " place_of_residence current_location",
    "job": "occupation profession role job_title position work career",
    "employer": "company workplace works_at works_for organization organisation",
    "phone": "phone_number mobile mobile_number telephone cell cell_phone",
    "email": "e_mail email_address mail",
    "partner": "spouse wife husband girlfriend boyfriend fiance fiancee significant_other",
    "birthday": "birth_date date_of_birth birthdate dob",
    "name": "full_name first_name surname last_name",
    "car": "vehicle automobile",
    "pet": "pets",
    "children": "kids child",
    "language": "native_language mother_tongue languages first_language",
    "age": "",
    "nationality": "citizenship",
    "hometown": "birthplace place_of_birth home_town origin",
    "diet": "dietary_preference dietary_restrictions eating_habits",
    "allergy": "allergies food_allergy",
    "gym": "fitness_studio fitness_club",
    "hobby": "hobbies pastime",
    "school": "university college alma_mater",
    "doctor": "physician gp family_doctor",
    "bank": "",
    "timezone": "time_zone",
    "salary": "income pay",
    "manager": "boss supervisor",
    "siblings": "sibling",
    "parents": "",
    "mother": "mom mum",
    "father": "dad",
}
"""Attribute names that mean the same as a known one."""

NARROWER: Final = {
    "pet": "dog cat",
    "children": "son daughter",
    "siblings": "brother sister",
    "parents": "mother father",
}
"""A phrase for the one also names beliefs about the other, but no sibling of it."""

SPEAKERS: Final = {
    "en": "i my me mine myself our ours we",
    "de": "ich mein meine meinen meinem meiner meines mir mich wir unser unsere unseren"
    " unserem unserer unseres",
    "fr": "je j mon ma mes moi m nous notre nos",
    "es": "yo mi mis mío mía me nuestro nuestra nuestros nuestras",
    "it": "io mio mia miei mie mi noi nostro nostra",
    "pt": "eu meu minha meus minhas me nosso nossa",
    "nl": "ik mijn mij me wij we ons onze",
    "pl": "ja mój moja moje mojego mojej moim moją mnie mi nasz nasza nasze mam",
    "tr": "ben benim bana bende biz bizim",
    "sv": "jag min mitt mina mig vår vårt",
    "ru": "я мой моя моё мои моего моей моему моём мою моим мне меня мной мы наш наша наше нас",
    "uk": "я мій моя моє мої мене мені наш ми",
    "ja": "私 僕 俺 わたし ぼく 自分 うち 我が",
    "zh": "我 咱 俺",
    "ko": "나 내 저 제 내가 제가 우리",
    "ar": "أنا لي عندي لدي",
    "hi": "मैं मेरा मेरी मेरे मुझे हम हमारा",
    "th": "ผม ฉัน ดิฉัน เรา",
    "id": "saya aku kami",
}
"""Words by which a clause refers to its speaker."""

OWN: Final = {
    "en": """
residence: where do i live, where i live, where am i living, where i'm living, where am i based
residence: where i'm based, city do i live in, city i live in, where do i reside
residence: which city am i in, what city am i in, place i live, where did i move
job: what do i do for a living, what do i do for work, what i do for a living, what is my role
job: what's my role
employer: where do i work, where i work, who do i work for, whom do i work for
employer: company do i work for, company i work for
phone: reach me by phone, call me at
partner: am i married, who am i married to, am i dating, who am i dating
birthday: when was i born, when i was born
name: what's my name, what is my name, my name is, who am i, what am i called
car: what do i drive, car do i drive
pet: do i have a pet, do i have pets
children: do i have kids, do i have children
language: what language do i speak, which language do i speak, languages do i speak
age: how old am i, how old i am
nationality: my passport country
hometown: where was i born, where did i grow up, where i grew up, where am i from
hometown: where do i come from
diet: what do i eat, am i vegan, am i vegetarian, can i eat
allergy: am i allergic to, i'm allergic to, i am allergic to
gym: where do i work out, where do i train
""",
    "de": """
residence: wo wohne ich, wo ich wohne, wo lebe ich, wo ich lebe, in welcher Stadt wohne ich
residence: in welcher Stadt lebe ich
job: was arbeite ich, was mache ich beruflich, als was arbeite ich
employer: wo arbeite ich, wo ich arbeite, für wen arbeite ich
partner: bin ich verheiratet, mit wem bin ich verheiratet
birthday: wann bin ich geboren, wann wurde ich geboren
name: wie heiße ich, wie ich heiße
age: wie alt bin ich, wie alt ich bin
hometown: woher komme ich, wo bin ich geboren, wo bin ich aufgewachsen
language: welche Sprache spreche ich, welche Sprachen spreche ich
allergy: wogegen bin ich allergisch
car: was fahre ich, welches Auto fahre ich
""",
    "fr": """
residence: où j'habite, où est-ce que j'habite, où je vis, où habité-je, j'habite où
residence: dans quelle ville j'habite
job: qu'est-ce que je fais dans la vie, je fais quoi dans la vie
employer: où je travaille, où est-ce que je travaille, pour qui je travaille
birthday: quand suis-je né, quand suis-je née, quand je suis né
name: comment je m'appelle, je m'appelle comment
age: quel âge j'ai, quel âge ai-je, j'ai quel âge
hometown: d'où je viens, où suis-je né, où j'ai grandi
partner: suis-je marié, suis-je mariée
""",
    "es": """
residence: dónde vivo, donde vivo, en qué ciudad vivo
job: a qué me dedico, de qué trabajo
employer: dónde trabajo, para quién trabajo
birthday: cuándo nací
name: cómo me llamo
age: cuántos años tengo
hometown: dónde nací, de dónde soy, dónde crecí
language: qué idiomas hablo, qué idioma hablo
partner: estoy casado, estoy casada
allergy: a qué soy alérgico, a qué soy alérgica
""",
    "it": """
residence: dove vivo, dove abito
employer: dove lavoro, per chi lavoro
job: che lavoro faccio
name: come mi chiamo
age: quanti anni ho
birthday: quando sono nato, quando sono nata
""",
    "pt": """
residence: onde moro, onde eu moro, onde vivo
employer: onde trabalho, onde eu trabalho
job: o que eu faço da vida
name: como me chamo, qual é o meu nome
age: quantos anos tenho, quantos anos eu tenho
birthday: quando nasci
""",
    "nl": """
residence: waar woon ik, waar ik woon
employer: waar werk ik, waar ik werk
name: hoe heet ik
age: hoe oud ben ik
""",
    "pl": """
residence: gdzie mieszkam
employer: gdzie pracuję
name: jak mam na imię, jak się nazywam
age: ile mam lat
birthday: kiedy się urodziłem, kiedy się urodziłam, kiedy mam urodziny
""",
    "tr": """
residence: nerede yaşıyorum, nerede oturuyorum, adresim, evim
employer: nerede çalışıyorum, iş yerim
job: işim, mesleğim, ne iş yapıyorum
phone: telefonum, telefon numaram, numaram
email: e-postam, mailim
partner: eşim, karım, kocam, sevgilim
birthday: doğum günüm, ne zaman doğdum
name: adım, ismim, adım ne
car: arabam
age: kaç yaşındayım, yaşım
""",
    "sv": """
residence: var bor jag, var jag bor
employer: var jobbar jag, var arbetar jag
age: hur gammal är jag
name: vad heter jag
""",
    "ru": """
residence: где я живу, в каком городе я живу, где живу
employer: где я работаю, на кого я работаю
job: кем я работаю, чем я занимаюсь
birthday: когда я родился, когда я родилась
name: как меня зовут
age: сколько мне лет
hometown: откуда я родом, где я родился, где я родилась
""",
    "uk": """
residence: де я живу
employer: де я працюю
name: як мене звати
age: скільки мені років
""",
    "ja": """
residence: どこに住んで, 私の家, 僕の家, 俺の家
employer: どこで働いて, どこに勤めて
age: 私は何歳, 僕は何歳, 俺は何歳
car: 私の車, 僕の車, 俺の車
partner: 私の妻, 僕の妻, 私の夫
""",
    "zh": """
residence: 我住在哪, 我住哪, 我的家在哪, 我家在哪
employer: 我在哪工作, 我在哪里工作, 我在哪儿工作, 我在哪裡工作
age: 我多大, 我几岁, 我今年多大
name: 我叫什么, 我叫什麼
car: 我的车, 我的車
hometown: 我是哪里人, 我是哪裡人
""",
    "ko": """
residence: 내가 사는 곳, 어디에 살고 있어, 어디 살아, 나 어디 살지
employer: 내가 어디서 일, 나 어디서 일해
age: 내가 몇 살, 나 몇 살
""",
    "ar": """
residence: أين أسكن, أين أعيش, عنواني
employer: أين أعمل
job: وظيفتي, عملي, مهنتي
phone: رقم هاتفي, هاتفي, رقمي
email: بريدي الإلكتروني, بريدي
partner: زوجتي, زوجي
birthday: عيد ميلادي, متى ولدت
name: اسمي, ما اسمي
age: كم عمري, عمري
car: سيارتي
""",
    "hi": """
residence: मैं कहाँ रहता हूँ, मैं कहाँ रहती हूँ, मैं कहां रहता हूं
employer: मैं कहाँ काम करता हूँ, मैं कहाँ काम करती हूँ
""",
    "th": """
residence: ฉันอยู่ที่ไหน, ผมอยู่ที่ไหน, บ้านฉัน, บ้านผม
""",
    "id": """
residence: di mana saya tinggal, saya tinggal di mana
employer: di mana saya bekerja
name: siapa nama saya
""",
}
"""Phrases that refer to the speaker themselves; lines as in ``user_phrases``."""
