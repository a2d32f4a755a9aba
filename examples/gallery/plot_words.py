"""
Words that follow similar words
===============================

Words are no numbers, but a next word can be predicted, too: after "the" comes a noun, and then
perhaps a verb. Here a small grammar speaks; :doc:`the page on words </words>` reads whole books.
"""

# %%
# Thirty-odd words of six kinds. Which kind comes next depends on the kind before; the word is drawn
# at random within its kind. The method sees only the words, in order.
import matplotlib.pyplot as plt
import numpy as np

from predfeat import SymbolFeatures

KINDS = {
    "article": ["the", "a", "this", "that", "every"],
    "adjective": ["small", "old", "green", "quiet", "brave", "tired"],
    "noun": ["dog", "cat", "bird", "child", "farmer", "river", "house", "tree", "road", "stone"],
    "verb": ["sees", "likes", "follows", "finds", "passes", "hears"],
    "adverb": ["often", "seldom", "slowly", "today", "again"],
    "preposition": ["near", "behind", "under", "with", "without", "above"],
}
NEXT = {  # the chances of each kind, in the order above
    "article": [0, 0.4, 0.6, 0, 0, 0],
    "adjective": [0, 0.2, 0.8, 0, 0, 0],
    "noun": [0, 0, 0, 0.6, 0.1, 0.3],
    "verb": [0.6, 0, 0, 0, 0.2, 0.2],
    "adverb": [0.2, 0.1, 0, 0.5, 0, 0.2],
    "preposition": [0.9, 0.1, 0, 0, 0, 0],
}
random = np.random.default_rng(0)
kind, words = "article", []
for _ in range(6000):
    words.append(random.choice(KINDS[kind]).item())
    kind = random.choice(list(KINDS), p=NEXT[kind]).item()
print(" ".join(words[:20]), "…")

# %%
# Two features of each word. λ is the share of a feature that the word before leaves open.
model = SymbolFeatures(n_components=2).fit(words)
print("left open:", model.eigenvalues_.round(2))

# %%
figure, axes = plt.subplots(figsize=(7.5, 4.6), layout="constrained")
kind_of = {word: kind for kind, members in KINDS.items() for word in members}
for number, kind in enumerate(KINDS):
    chosen = [i for i, word in enumerate(model.symbols_) if kind_of[word] == kind]
    axes.plot(*model.vectors_[chosen, :2].T, "o", color=f"C{number}", label=kind)
for word in ("the", "old", "dog", "likes", "seldom", "near"):
    place = model.vectors_[model.symbols_.tolist().index(word)]
    axes.annotate(word, place, xytext=(8, 6), textcoords="offset points")
axes.legend(frameon=False)
axes.set(xlabel="feature 1", ylabel="feature 2", title="Every dot is a word")
axes.spines[["top", "right"]].set_visible(False)

# %%
# **What one learns:** kinds of words need no dictionary. Words that stand after the same words have
# the same features.
