"""Words of a text, and which of them belong to one clause."""

import gzip

import numpy as np
import pytest

from predfeat.datasets import holds_words, read_words
from predfeat.exceptions import DataFileError


def written(path, text, encoding="utf-8"):
    path.write_bytes(text.encode(encoding))
    return path


def clauses(recording):
    words, groups = recording.annotations["word"], recording.groups
    return [words[groups == i].tolist() for i in range(groups.max() + 1)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The dog RAN", [["the", "dog", "ran"]]),
        ("one, two (three) - four", [["one", "two", "three", "four"]]),
        ("it goes on\nin the next line", [["it", "goes", "on", "in", "the", "next", "line"]]),
        ("a. b? c! d: e; f", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]]),
        ("end...  ?! again", [["end"], ["again"]]),
        ("one\n\n \ntwo", [["one"], ["two"]]),
        ("don't 'quote' the king’s 3 men_at arms", [
            ["don't", "quote", "the", "king’s", "men", "at", "arms"]]),
        ("Ärger über çà", [["ärger", "über", "çà"]]),
    ],
)  # fmt: skip
def test_words_and_clauses(tmp_path, text, expected):
    found = read_words(written(tmp_path / "t.txt", text))
    assert clauses(found) == expected
    assert found.values.shape == (sum(map(len, expected)), 0)


def test_encodings_and_compression(tmp_path):
    text = "Ärger und Mühe; Übermut"
    expected = [["ärger", "und", "mühe"], ["übermut"]]
    assert clauses(read_words(written(tmp_path / "a.txt", text, "latin-1"))) == expected
    assert clauses(read_words(written(tmp_path / "b.txt", text, "utf-16"))) == expected
    (tmp_path / "c.txt.gz").write_bytes(gzip.compress(text.encode()))
    assert clauses(read_words(tmp_path / "c.txt.gz")) == expected


def test_no_clause_reaches_into_the_next_file(tmp_path):
    files = [written(tmp_path / f"{i}.txt", text) for i, text in enumerate(["a b", "c. d"])]
    assert clauses(read_words(files)) == [["a", "b"], ["c"], ["d"]]


def test_a_file_without_words_is_refused(tmp_path):
    with pytest.raises(DataFileError, match=r"numbers\.txt holds no words"):
        read_words(written(tmp_path / "numbers.txt", "1 2 3\n"))
    with pytest.raises(DataFileError, match=r"none\.txt"):
        read_words(tmp_path / "none.txt")


@pytest.mark.parametrize(
    ("text", "expected"),
    [("word after word", True), ("1.5 2.5\n3 4\n", False), ("\n\n", False),
     ("time wind rain\n1 2 3\n4 5 6\n", False), ("in 1066 they came", True)],
)  # fmt: skip
def test_what_holds_words(tmp_path, text, expected):
    assert holds_words(written(tmp_path / "t.txt", text)) is expected


def test_equal_words_are_one_object(tmp_path):
    words = read_words(written(tmp_path / "t.txt", "so so so")).annotations["word"]
    assert words.dtype == np.dtype(object)
    assert words[0] is words[2]
