"""
Words that follow similar words
===============================

Words are no numbers, but a next word can be predicted, too: after "the" comes a noun, and then a verb.
Here a small grammar speaks; :doc:`the page on words </words>` does the same with whole books.
"""

# %%
# Forty words of six kinds, in sentences whose words are drawn at random within their kinds. The
# method sees only the words, in order. A sentence is a sequence of its own.
import matplotlib.pyplot as plt
import numpy as np

from predfeat import SymbolFeatures

KINDS = {
    "article": "the a this that every".split(),
    "adjective": "small old green quiet brave tired".split(),
    "noun": "dog cat bird child farmer river house tree road stone".split(),
    "verb": "sees likes follows finds passes hears".split(),
    "adverb": "often seldom slowly today again".split(),
    "end": ["and", "while", "because"],
}
SENTENCES = [
    ["article", "noun", "verb", "article", "noun"],
    ["article", "adjective", "noun", "verb", "article", "adjective", "noun", "end"],
    ["article", "noun", "adverb", "verb", "article", "noun", "end"],
]
random = np.random.default_rng(0)
words, sentence = [], []
for i in range(1500):
    for kind in SENTENCES[random.integers(len(SENTENCES))]:
        words.append(random.choice(KINDS[kind]).item())
        sentence.append(i)
print(" ".join(words[:20]), "…")

# %%
# Three features of each word. λ is the share of a feature that the word before leaves open.
model = SymbolFeatures(n_components=3).fit(words, groups=sentence)
print("left open:", model.eigenvalues_.round(2))

# %%
figure, axes = plt.subplots(figsize=(7.5, 4.6), layout="constrained")
kind_of = {word: kind for kind, members in KINDS.items() for word in members}
for number, kind in enumerate(KINDS):
    chosen = [i for i, word in enumerate(model.symbols_) if kind_of[word] == kind]
    axes.plot(*model.vectors_[chosen, :2].T, "o", color=f"C{number}", label=kind)
axes.legend(frameon=False)
axes.set(xlabel="feature 1", ylabel="feature 2", title="Every dot is a word")
axes.spines[["top", "right"]].set_visible(False)

# %%
# **What one learns:** kinds of words need no dictionary. Words that stand after the same words have
# the same features.
