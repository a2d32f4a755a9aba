"""Features of words such that the next word is predictable: `python examples/words.py book.txt`.

Reads any plain text (some hundred thousand words), prints the nearest words of frequent ones and
how much of the features is predictable in the part of the text that was not used, and draws the
picture of docs/words.md.
"""

import argparse
from collections import Counter
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans
from sklearn.manifold import TSNE

from predfeat import SymbolFeatures
from predfeat.datasets import read_words

RARE = "(rare)"
N_FEATURES, N_LISTED, N_NEAREST, N_DRAWN = 10, 20, 6, 150


def without_rare(words, n_least):
    """Replace words that occur too seldom to say where they belong."""
    counts = Counter(words)
    return [word if counts[word] >= n_least else RARE for word in words]


def nearest(model, word):
    """Return the words with the most similar features, nearest first."""
    symbols = model.symbols_.tolist()
    own = model.vectors_[symbols.index(word)]
    order = np.argsort(np.linalg.norm(model.vectors_ - own, axis=1), kind="stable")
    return [symbols[i] for i in order if symbols[i] not in (word, RARE)][:N_NEAREST]


def left_open(model, words, clauses, is_train):
    """Return the share of the features that the word before leaves open in the other part."""
    known = set(model.symbols_)
    features = model.transform([word if word in known else None for word in words])
    follows = np.flatnonzero((clauses[1:] == clauses[:-1]) & ~np.isnan(features[1:, 0])) + 1
    numbers = np.unique(words, return_inverse=True)[1]
    sums = np.zeros((numbers.max() + 1, features.shape[1]))
    train, test = follows[is_train[follows]], follows[~is_train[follows]]
    np.add.at(sums, numbers[train - 1], features[train])
    counts = np.bincount(numbers[train - 1], minlength=len(sums))
    expected = (sums / np.maximum(counts, 1)[:, None])[numbers[test - 1]]
    errors = np.square(features[test] - expected).mean(axis=0)
    return errors / features[test].var(axis=0)


def compare(every_word, clauses, n_least):
    """Fit to the first half of the text, and print what is left open in the second."""
    is_train = clauses < np.median(clauses)
    train = without_rare(
        [w for w, inside in zip(every_word, is_train, strict=True) if inside], n_least
    )
    known = set(train)
    words = [word if word in known else RARE for word in every_word]
    settings = {
        "n_lags=1": {},
        "n_lags=2": {"n_lags": 2},
        "n_lags=1, n_neighbors=10": {"n_neighbors": 10, "max_iter": 5},
    }
    print("\n| | λ, first half | left open, second half |\n|---|---|---|")
    for name, given in settings.items():
        model = SymbolFeatures(N_FEATURES, **given).fit(train, groups=clauses[is_train])
        shares = left_open(model, words, clauses, is_train)
        print(f"| `{name}` | {model.eigenvalues_.mean():.2f} | {shares.mean():.2f} |")


def spread(places, words):
    """Move words apart until they no longer cover each other; one unit is a letter's width."""
    places = places.copy()
    widths, height = np.array([len(word) + 1 for word in words]), 2.0
    for _ in range(2000):
        apart = places[:, None] - places[None]
        wide = (widths[:, None] + widths[None]) / 2 - np.abs(apart[..., 0])
        high = height - np.abs(apart[..., 1])
        covers = (wide > 0) & (high > 0) & ~np.eye(len(words), dtype=bool)
        if not covers.any():
            break
        # Up or down, because words are wider than high.
        way = np.sign(apart[..., 1])
        places[:, 1] += 0.1 * np.sum(way * covers * high, axis=1)
    return places


def draw(model, path):
    """Draw the most frequent words so that those with similar features lie near each other."""
    drawn = np.flatnonzero(model.symbols_ != RARE)[:N_DRAWN]
    vectors, words = model.vectors_[drawn], model.symbols_[drawn]
    places = TSNE(perplexity=15, random_state=0, init="pca").fit_transform(vectors)
    places = spread((places / np.abs(places).max(axis=0)) * np.array([65, 40]), words)
    kinds = KMeans(8, n_init=20, random_state=0).fit_predict(vectors)
    figure, axes = plt.subplots(figsize=(10, 7), layout="constrained")
    for word, (x, y), kind in zip(words, places, kinds, strict=True):
        color = plt.get_cmap("Dark2")(kind)
        axes.text(x, y, word, color=color, ha="center", va="center", fontsize=9.5)
    edge = np.array([6, 3])
    low, high = places.min(axis=0) - edge, places.max(axis=0) + edge
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), xticks=[], yticks=[])
    axes.set_title(
        f"The {len(words)} most frequent words. Near each other: words that follow similar words.\n"
        "Colours: eight groups that an algorithm makes of the ten features.",
        fontsize=11,
    )
    figure.savefig(path, dpi=100)
    print(f"\n{path} written")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("text", type=Path, help="a file of plain text")
    parser.add_argument("out", nargs="?", default="words.png", help="the picture to write")
    parser.add_argument("--least", type=int, default=50, help="rarer words become one symbol")
    arguments = parser.parse_args()
    text = read_words(arguments.text)
    every_word, clauses = text.annotations["word"].tolist(), text.groups
    words = without_rare(every_word, arguments.least)
    model = SymbolFeatures(N_FEATURES).fit(words, groups=clauses)
    print(f"{len(words)} words, {len(set(every_word))} different; {len(model.symbols_)} symbols")
    print("λ:", *model.eigenvalues_.round(2))
    frequent = [word for word in model.symbols_ if word != RARE]
    print("\n| word | nearest |\n|---|---|")
    for word in frequent[:: max(1, 200 // N_LISTED)][:N_LISTED]:
        print(f"| {word} | {', '.join(nearest(model, word))} |")
    compare(every_word, clauses, arguments.least)
    draw(model, arguments.out)


if __name__ == "__main__":
    main()
