"""E02, E03: text layers that decode to nonsense are refused, honest ones in any language are not."""

from __future__ import annotations

import random
import string

import pytest
from PIL import Image
from reportlab.lib.utils import ImageReader

from extraction.pdf.layout import Line, PageLayout
from extraction.pdf.reading.quality import quality_of
from extraction.pdf.reading.readings import PageReading
from extraction.pdf.reading.textlayer import Defect, find_defects
from rubrica.errors import EmptyDocumentError
from tests.unit.extraction.pdf.drawing import Sheets, texts
from tests.unit.extraction.pdf.prose import ENGLISH, RUSSIAN, shifted

HONEST = {
    "russian": RUSSIAN,
    "english": ENGLISH,
    "capitals": "ОБЩИЕ ТРЕБОВАНИЯ К УСТРОЙСТВУ ПРИЧАЛОВ И ЛОДОЧНЫХ СТАНЦИЙ. GENERAL REQUIREMENTS FOR JETTY.",
    "german": "Die Prüfung der Anlegestelle erfolgt vor jeder Öffnung. Für schwimmende Stege gelten größere"
    " Abstände, weil sich der Wasserstand während der Saison ändert und Geländer nachgeben können.",
    "french": "Le gardien vérifie les amarres avant chaque départ. Lorsque le niveau de l’eau monte, il faut"
    " détendre les cordages et abaisser la passerelle, afin que la pente reste inférieure à la limite.",
    "polish": "Przed otwarciem przystani należy sprawdzić wszystkie cumy. Jeżeli poziom wody podniósł się w"
    " nocy, trzeba poluzować liny i obniżyć trap, aby jego nachylenie pozostało w granicach podanych wyżej.",
    "ukrainian": "Перед відкриттям станції слід перевірити всі швартови. Якщо рівень води піднявся за ніч,"
    " необхідно послабити троси й опустити трап, щоб його нахил не перевищував допустимого значення.",
    "bulgarian": "Преди отварянето на станцията трябва да се проверят всички въжета. Ако нивото на водата се"
    " е повишило през нощта, въжетата се отпускат и мостикът се спуска, за да остане наклонът допустим.",
    "kazakh": "Станция ашылар алдында барлық арқандарды тексеру қажет. Түнде су деңгейі көтерілсе, арқандарды"
    " босатып, басқышты төмен түсіру керек, сонда оның еңісі көрсетілген шектен аспайды.",
    "greek": "Πριν από το άνοιγμα του σταθμού πρέπει να ελεγχθούν όλα τα σχοινιά και οι πλωτές εξέδρες.",
    "chinese": "开放码头之前必须检查所有缆绳。如果夜间水位上升，应放松缆绳并降低舷梯，使其坡度不超过规定值。",
    "arabic": "قبل فتح المحطة يجب فحص جميع الحبال والجسور العائمة والتأكد من ارتفاع منسوب المياه ليلا",
    "figures": "12,5 14,0 15,5 2024 3.1.4 100 % 200 кг/м² 5 мм М16 Ø20 А400 В25 F150 W6 12х18Н10Т 09Г2С",
    "placeholders": "XXXX ХХХХХХ кккккккккккккк ккккккккккккккккккккк ____ Ffffffff ввввввввввввввввввввв",
    "code": "def readPages(self, fileName): return [getPage(i) for i in xrange(self.pageCount)] if fileName"
    " else None; static inline void *xmallocz(size_t n) { return memset(malloc(n + 1), 0, n); } // noqa",
    "formulas": "dimZn = dimBn + rank Hn, f(x) = αx² + βy, λmax ≤ σcr, where Nd and Mx follow from kz φy Rst",
    "links": "https://example.org/aZkQ/xWvQq/ZZtopqRX www.qqxzv.example.net/kkzq/ a.qzx@xqj.example ./xq/zzv",
}


def random_letters() -> str:
    chance = random.Random(7)
    return " ".join(
        "".join(chance.choices(string.ascii_lowercase, k=chance.randint(3, 9))) for _ in range(60)
    )


NONSENSE = {
    "wrong Unicode map": shifted(RUSSIAN),
    "English recognised as Russian": "ТНе Кеерег оЁ Фе 5{аЕоп зБаП сБесК Ше тоогшез БеРоге Ше йг${ Боа{"
    " 1еауез Фе]е#у. У/Беге Ше \\ма{ег 1еуе! Ваз пзеп оуегшеБ{, еуегу Ипе 15 1о Бе $]асКепе4 апа Фе"
    " запе\\\\ау 1о\\уеге4.",
    "Russian recognised as English": "Tpe6oBaHua HacTosmero pa3qena pacmpocTpaHAOTCA Ha NpoeKTHpoBaHHe"
    " JIOqOUHEIX cTaHUHH H NPHYaIOB. PaccTosHHe OT Kpad HacTHIa JO OrpaxkfeHHA cuefyeT IIPHHHMATb He MeHee"
    " IMpHHEI Mpoxoda, a Harpy3kKy Ha NepHila oNpeyelaTb pacvéTOM.",
    "random letters": random_letters(),
    "letters of many scripts": "ଋҨǥƹ̽ୡ ဎഁୡࣧҨ ဌʾဎಱ̽ೌ ¢܆ȥ¢৞¢ਮ Νਫ਼੅ͱʸ ฏʤҨଋ Ҩǥƺୡȥဎഔ ୡ࣭Ҩဌʾ",
}


@pytest.mark.parametrize("name", HONEST)
def test_honest_text_passes(name: str) -> None:
    assert not quality_of([HONEST[name]]).is_nonsense()
    assert not quality_of([HONEST[name]]).is_nonsense(page=True)


@pytest.mark.parametrize("name", NONSENSE)
def test_nonsense_is_known_as_such(name: str) -> None:
    assert quality_of([NONSENSE[name]]).is_nonsense()


def test_a_few_words_are_not_judged() -> None:
    assert not quality_of(["Qwrtz Xkcd HRDLR"]).is_nonsense()


def test_a_repeated_word_counts_once() -> None:
    assert not quality_of(["ЦКБПЗЖЩ " * 500]).is_nonsense()


def test_a_list_of_acts_is_no_nonsense() -> None:
    acts = [f"от {n % 28 + 1}.12.2005 N {n}-ФЗ," for n in range(1, 400)]
    assert not quality_of(["в ред. Федеральных законов", *acts]).is_nonsense(page=True)


@pytest.mark.parametrize("name", ["wrong Unicode map", "random letters"])
def test_a_text_layer_of_nonsense_is_refused_with_a_way_out(sheets: Sheets, name: str) -> None:
    """E03: plausible garbage never reaches the index."""
    for _ in range(2):
        sheets.paragraph(NONSENSE[name])
        sheets.page()
    with pytest.raises(EmptyDocumentError, match="no usable text layer") as caught:
        sheets.read()
    assert "letters form no words" in caught.value.reason
    assert "RUBRICA_OCR" in caught.value.hint


def test_one_page_of_nonsense_is_left_out_and_named(sheets: Sheets) -> None:
    for text in (RUSSIAN, NONSENSE["wrong Unicode map"], ENGLISH):
        sheets.paragraph(text)
        sheets.page()
    document = sheets.read()
    assert document.attributes["unreadable_pages"] == [2]
    assert document.text == f"{RUSSIAN}\n\n{ENGLISH}"
    assert {element.page_from for element in document.elements} == {1, 3}


def test_short_pages_follow_the_rest_of_the_document(sheets: Sheets) -> None:
    words = shifted(RUSSIAN).split()
    for start in range(0, len(words), 8):
        sheets.paragraph(" ".join(words[start : start + 8]))
        sheets.page()
    with pytest.raises(EmptyDocumentError, match="letters form no words"):
        sheets.read()


def test_a_scan_behind_a_cover_sheet_is_refused(sheets: Sheets) -> None:
    sheets.line("Документ предоставлен порталом")
    sheets.page()
    for _ in range(5):
        sheets.canvas.rect(50, 50, 400, 600, fill=1)
        sheets.page()
    with pytest.raises(EmptyDocumentError, match="no text layer on 5 of its 6 page"):
        sheets.read()


def test_stamps_on_scans_are_no_text_layer(sheets: Sheets) -> None:
    for number in range(4):
        sheets.canvas.drawImage(ImageReader(Image.new("L", (60, 80), 128)), 0, 0, 595, 842)
        sheets.line("Документ предоставлен порталом нормативных документов для ознакомления без права печати")
        sheets.line(f"Дата сохранения 12.05.2024, страница {number + 1} из 4, проверено уполномоченным лицом")
        sheets.page()
    with pytest.raises(EmptyDocumentError, match="no text layer on any of its 4 page"):
        sheets.read()


def test_pages_that_are_pictures_are_named(sheets: Sheets) -> None:
    sheets.paragraph(RUSSIAN)
    sheets.page()
    sheets.canvas.rect(50, 50, 400, 600, fill=1)
    document = sheets.read()
    assert document.attributes["pages_without_text"] == [2]
    assert texts(document) == [RUSSIAN]


def latin_sheets(text: str) -> Sheets:
    """A page set in a font that calls its encoding a Western one."""
    sheets = Sheets()
    sheets.canvas.setFont("Helvetica", 10)
    for n in range(0, len(text), 80):
        sheets.canvas.drawString(70, 700 - n / 80 * 13, text[n : n + 80])
    return sheets


def test_windows_1251_under_a_western_name_is_decoded_again() -> None:
    """«Óãîëîâíûé» is «Уголовный»; numbers, quotes and English words stay."""
    original = f"§ 5 «Правила» № 7 — см. Annex B. {RUSSIAN} Её"
    document = latin_sheets(original.encode("cp1251").decode("cp1252")).read()
    assert document.text.replace("\n", " ").replace(" ", "") == original.replace(" ", "")
    assert document.attributes["decoded_from"] == "cp1251"


@pytest.mark.parametrize("name", ["french", "german"])
def test_western_accents_stay_what_they_are(name: str) -> None:
    document = latin_sheets(HONEST[name].replace("’", "'")).read()
    assert "decoded_from" not in document.attributes
    assert document.text.isascii() is False
    assert not any("а" <= char <= "я" for char in document.text)


def test_characters_of_a_private_area_are_no_text() -> None:
    """E02: a font whose glyphs map to values that only it understands."""
    words = ["".join(chr(0xE000 + ord(char)) for char in word) for word in ENGLISH.split()]
    line = Line(" ".join(words), 1, 70, 80, 500, 92, 10, len(ENGLISH), 0, 30)
    page = PageReading(PageLayout(1, 595, 842, (line,)), len(ENGLISH), dropped=0, pictured=False)
    assert find_defects([page]) == {1: Defect.UNMAPPED}
