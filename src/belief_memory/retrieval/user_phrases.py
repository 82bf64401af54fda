"""Names of a user's common attributes, as people type them (data).

A line gives an attribute and its phrases, parted by commas. These count where the clause
refers to the speaker in the phrase's own language; see ``user_questions`` for phrases that
do so themselves.
"""

from __future__ import annotations

from typing import Final

PLAIN: Final = {
    "en": """
residence: residence, home address, address, home city, current city, hometown now, home
job: job, occupation, profession, job title, career
employer: employer, company, workplace
phone: phone, phone number, mobile, mobile number, cell, cell phone, telephone, telephone number
email: email, e-mail, email address, e-mail address, mail address
partner: partner, wife, husband, spouse, girlfriend, boyfriend, fiancé, fiancée
birthday: birthday, date of birth, birth date, birthdate
name: full name, first name, last name, surname
car: car, vehicle
pet: pet
dog: dog
cat: cat
children: children, kids, child
son: son
daughter: daughter
language: native language, mother tongue, first language
age: age
nationality: nationality, citizenship
hometown: hometown, home town, birthplace, place of birth
diet: diet, dietary restriction, dietary preference
allergy: allergy, allergies, allergic
gym: gym, fitness studio
hobby: hobby, hobbies
school: university, college, alma mater
doctor: doctor, physician
bank: bank
timezone: timezone, time zone
salary: salary, income
manager: manager, boss, supervisor
siblings: sibling
brother: brother
sister: sister
parents: parents
mother: mother, mom, mum
father: father, dad
""",
    "de": """
residence: Wohnort, Adresse, Anschrift, Zuhause, Wohnsitz
job: Beruf, Job, Arbeit, Tätigkeit
employer: Arbeitgeber, Firma
phone: Telefonnummer, Handynummer, Handy, Telefon, Nummer
email: E-Mail, E-Mail-Adresse, Mailadresse, Email
partner: Partner, Partnerin, Frau, Mann, Freundin, Ehefrau, Ehemann
birthday: Geburtstag, Geburtsdatum
name: Nachname, Vorname, Name
car: Auto, Wagen
pet: Haustier
dog: Hund
cat: Katze
children: Kinder, Kindern
son: Sohn
daughter: Tochter
language: Muttersprache
age: Alter
nationality: Staatsangehörigkeit, Nationalität
hometown: Heimatstadt, Geburtsort, Heimatort
diet: Ernährung
allergy: Allergie, Allergien, allergisch
gym: Fitnessstudio
hobby: Hobby, Hobbys
doctor: Arzt, Ärztin, Hausarzt
salary: Gehalt
manager: Chef, Chefin, Vorgesetzter
""",
    "fr": """
residence: adresse, domicile, lieu de résidence
job: travail, métier, profession, boulot, emploi
employer: employeur, entreprise, boîte
phone: téléphone, numéro de téléphone, numéro, portable
email: mail, e-mail, adresse mail, courriel
partner: femme, mari, copine, copain, compagnon, compagne, partenaire, épouse, époux, conjoint
birthday: anniversaire, date de naissance
name: nom, prénom, nom de famille
car: voiture
pet: animal de compagnie
dog: chien
cat: chat
children: enfants
son: fils
daughter: fille
language: langue maternelle
age: âge
nationality: nationalité
hometown: ville natale, ville d'origine
diet: régime, régime alimentaire
allergy: allergie, allergies, allergique
gym: salle de sport
doctor: médecin
salary: salaire
manager: chef, patron, manager
""",
    "es": """
residence: dirección, domicilio, residencia
job: trabajo, profesión, oficio, empleo
employer: empresa, empleador
phone: teléfono, número de teléfono, móvil, celular, número
email: correo, correo electrónico, email
partner: pareja, esposa, esposo, mujer, marido, novia, novio
birthday: cumpleaños, fecha de nacimiento
name: nombre, apellido
car: coche, carro, auto
pet: mascota
dog: perro
cat: gato
children: hijos
son: hijo
daughter: hija
language: lengua materna, idioma materno
age: edad
nationality: nacionalidad
hometown: ciudad natal
diet: dieta
allergy: alergia, alergias
gym: gimnasio
doctor: médico, doctor
salary: sueldo, salario
manager: jefe, jefa
""",
    "it": """
residence: indirizzo, residenza
job: lavoro, professione, mestiere
employer: azienda, datore di lavoro
phone: telefono, numero di telefono, cellulare
email: email, mail, posta elettronica
partner: moglie, marito, fidanzata, fidanzato, compagna, compagno
birthday: compleanno, data di nascita
name: nome, cognome
car: macchina, auto
pet: animale domestico
dog: cane
cat: gatto
children: figli
son: figlio
daughter: figlia
age: età
diet: dieta
allergy: allergia, allergie
gym: palestra
""",
    "pt": """
residence: endereço, residência, morada
job: trabalho, profissão, emprego
employer: empresa, empregador
phone: telefone, número de telefone, celular, telemóvel
email: email, e-mail
partner: esposa, marido, namorada, namorado, mulher, parceiro, parceira
birthday: aniversário, data de nascimento
name: nome, sobrenome
car: carro
pet: animal de estimação
dog: cachorro
cat: gato
children: filhos
son: filho
daughter: filha
age: idade
diet: dieta
allergy: alergia, alergias
gym: academia, ginásio
""",
    "nl": """
residence: adres, woonplaats
job: baan, beroep, werk
employer: werkgever, bedrijf
phone: telefoonnummer, nummer, telefoon, mobiel
email: e-mail, e-mailadres
partner: partner, vrouw, man, vriendin, vriend
birthday: verjaardag, geboortedatum
car: auto
pet: huisdier
dog: hond
cat: kat
children: kinderen
son: zoon
daughter: dochter
age: leeftijd
allergy: allergie, allergieën
""",
    "pl": """
residence: adres, miejsce zamieszkania
job: praca, pracy, pracę, zawód
employer: pracodawca, firma
phone: telefon, telefonu, numer telefonu
email: mail, adres e-mail, e-mail
partner: żona, żony, mąż, męża, dziewczyna, chłopak, partner, partnerka
birthday: urodziny, data urodzenia
car: samochód, auto
dog: pies
cat: kot
pet: zwierzak
children: dzieci
son: syn
daughter: córka
age: wiek
allergy: alergia, alergię
""",
    "sv": """
residence: adress, bostadsort
job: jobb, yrke, arbete
employer: arbetsgivare
phone: telefonnummer, mobilnummer
email: mejl, e-post
partner: fru, man, flickvän, pojkvän, sambo
birthday: födelsedag
car: bil
children: barn
son: son
daughter: dotter
""",
    "ru": """
residence: адрес, город, место жительства
job: работа, работу, работе, профессия, должность
employer: работодатель, компания, фирма
phone: телефон, телефона, номер телефона, номер
email: почта, почту, почты, электронная почта, имейл
partner: жена, жену, жены, муж, мужа, девушка, парень, партнёр
birthday: день рождения, дата рождения, днём рождения
name: имя, фамилия
car: машина, машину, машины, автомобиль
pet: питомец
dog: собака, собаку
cat: кошка, кошку, кот
children: дети, детей
son: сын
daughter: дочь
age: возраст
allergy: аллергия, аллергии, аллергию
""",
    "uk": """
residence: адреса, місто
job: робота, роботу, професія
phone: телефон, номер телефону
partner: дружина, чоловік
birthday: день народження
""",
    "ja": """
residence: 住所, 自宅, 住まい
job: 仕事, 職業
employer: 会社, 勤務先, 勤め先, 職場
phone: 電話番号, 電話, 携帯
email: メールアドレス, メアド
partner: 妻, 夫, 彼女, 彼氏, パートナー, 奥さん, 旦那
birthday: 誕生日, 生年月日
name: 名前, 氏名
car: 愛車
pet: ペット
children: 子供, 子ども
son: 息子
language: 母語, 母国語
age: 年齢
nationality: 国籍
hometown: 出身地, 故郷, 地元
diet: 食事制限
allergy: アレルギー
gym: ジム
hobby: 趣味
""",
    "zh": """
residence: 地址, 住址, 住处, 住處
job: 工作, 职业, 職業
employer: 公司, 雇主, 单位
phone: 电话, 電話, 手机号, 手机, 电话号码
email: 邮箱, 郵箱, 电子邮件
partner: 妻子, 老婆, 丈夫, 老公, 女朋友, 男朋友, 伴侣
birthday: 生日, 出生日期
name: 名字, 姓名
car: 汽车, 汽車
pet: 宠物, 寵物
children: 孩子
son: 儿子
daughter: 女儿
language: 母语, 母語
age: 年龄, 年齡
nationality: 国籍, 國籍
hometown: 家乡, 老家, 家鄉
allergy: 过敏, 過敏
gym: 健身房
""",
    "ko": """
residence: 주소, 집
job: 직업, 일
employer: 회사, 직장
phone: 전화번호, 번호
email: 이메일
partner: 아내, 남편, 여자친구, 남자친구
birthday: 생일
name: 이름
car: 차, 자동차
children: 아이
son: 아들
daughter: 딸
age: 나이
allergy: 알레르기
""",
    "hi": """
residence: पता, घर
job: नौकरी, काम
phone: फोन नंबर, फ़ोन नंबर
birthday: जन्मदिन
name: नाम
""",
    "th": """
residence: ที่อยู่, บ้าน
job: อาชีพ
phone: เบอร์โทร, เบอร์โทรศัพท์
birthday: วันเกิด
employer: บริษัท
""",
    "id": """
residence: alamat
job: pekerjaan
phone: nomor telepon
birthday: ulang tahun
""",
}
