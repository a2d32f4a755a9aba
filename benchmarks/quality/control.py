"""Control from features: how well a simple learner balances a pole that is hidden among noise.

    python benchmarks/quality/control.py --out control.jsonl
    python benchmarks/quality/control.py --out control.jsonl --table

The four numbers of gymnasium's CartPole are scaled to unit variance, put beside autoregressions
that are louder, and mixed by a random rotation. Each contestant learns M features from 4000 steps
of logged random play. Then the same learner, the cross-entropy method for a linear policy, is given
the features, each of unit variance in the log, and 512 episodes. The score is the mean length of
100 new episodes under the policy it ends with: about 22 for random play, at most 500. "Found" is
the share of the hidden variance that is a linear function of the features. The truth is the hidden
state itself, and the raw observation is all of the mixture. The command goes on where it stopped.
"""

import argparse
import inspect
import json
from itertools import product
from pathlib import Path
from time import perf_counter

import numpy as np
from scipy.signal import lfilter
from sklearn.decomposition import PCA
from threadpoolctl import threadpool_limits

from predfeat import GPFA, SFA
from predfeat.datasets import record_episodes
from predfeat.series import from_episodes

N_STEPS = 4000  # of random play
M = 4  # as many as the hidden state has
# Coefficients of the autoregressions: as in planted.py, or about as slow as the hidden state.
NOISES = {"mixed": np.linspace(0, 0.95, 16), "slow": np.linspace(0.9, 0.99, 16)}
LOUDNESS = 2.0  # their deviation; that of the hidden state is 1
LONGEST = 500
N_GENERATIONS, N_POLICIES, N_BEST, N_EPISODES = 8, 32, 8, 2
N_TESTS = 100
LONG_ENOUGH = 500  # rows after which an autoregression has forgotten its start


class Hiding:
    """A state beside autoregressions, mixed by a rotation."""

    def __init__(self, states, coefficients, random):
        self.coefficients = coefficients
        n_columns = states.shape[1] + len(coefficients)
        self.center, self.scale = states.mean(axis=0), states.std(axis=0)
        self.mixing = np.linalg.qr(random.normal(size=(n_columns, n_columns)))[0]

    def noise(self, n_rows, n_series, random):
        """Return autoregressions of shape (n_rows, n_series, n_coefficients)."""
        shocks = random.normal(size=(len(self.coefficients), n_rows + LONG_ENOUGH, n_series))
        series = [
            np.sqrt(1 - a**2) * lfilter([1], [1, -a], s, axis=0)[LONG_ENOUGH:]
            for a, s in zip(self.coefficients, shocks, strict=True)
        ]
        return LOUDNESS * np.stack(series, axis=-1)

    def mix(self, states, noise):
        """Return what an agent sees."""
        hidden = (states - self.center) / self.scale
        return np.hstack([hidden, noise]) @ self.mixing

    @property
    def truth(self):
        """The directions that give the hidden state back."""
        return self.mixing[: len(self.center)]


class Learner:
    """The cross-entropy method for a linear policy of two actions."""

    def __init__(self, hiding, mean, directions, scale, seed):
        self.hiding, self.mean = hiding, mean
        self.weights = directions.T / scale
        self.seed = seed

    def lengths(self, policies, n_episodes, generation):
        """Return how long the pole stands under each policy, in each of some episodes."""
        import gymnasium  # an extra, which --help does not need

        n_series = len(policies) * n_episodes
        random = np.random.default_rng([self.seed, generation])
        noise = self.hiding.noise(LONGEST, n_series, random)
        envs = gymnasium.make_vec(
            "CartPole-v1", num_envs=n_series, vectorization_mode="vector_entry_point"
        )
        states, _ = envs.reset(seed=int(random.integers(2**31)))
        owner = np.repeat(np.arange(len(policies)), n_episodes)
        lengths, stands = np.zeros(n_series), np.ones(n_series, dtype=bool)
        for t in range(LONGEST):
            features = (self.hiding.mix(states, noise[t]) - self.mean) @ self.weights
            pushes = policies[owner, 0] + np.sum(features * policies[owner, 1:], axis=1) > 0
            states, _, fell, ran_out, _ = envs.step(pushes.astype(np.int64))
            lengths += stands
            stands &= ~(fell | ran_out)
            if not stands.any():
                break
        envs.close()
        return lengths.reshape(len(policies), n_episodes)

    def score(self):
        """Learn a policy; return how long the pole stands under it in new episodes."""
        n_weights = self.weights.shape[1] + 1
        random = np.random.default_rng([self.seed, 1000])
        center, spread = np.zeros(n_weights), np.ones(n_weights)
        for generation in range(N_GENERATIONS):
            policies = center + spread * random.normal(size=(N_POLICIES, n_weights))
            means = self.lengths(policies, N_EPISODES, generation).mean(axis=1)
            best = policies[np.argsort(-means, kind="stable")[:N_BEST]]
            center, spread = best.mean(axis=0), best.std(axis=0) + 0.1 / (generation + 1)
        return float(self.lengths(center[None], N_TESTS, 2000).mean())


def draw(noise, seed):
    """Return the log of random play, its states still to be seen, the mixture, what mixes it."""
    import gymnasium  # an extra, which --help does not need

    env = gymnasium.make("CartPole-v1")
    log = from_episodes(record_episodes(env, N_STEPS, random_state=seed))
    env.close()
    random = np.random.default_rng([seed, 3000])
    hiding = Hiding(log.X, NOISES[noise], random)
    X = hiding.mix(log.X, hiding.noise(len(log.X), 1, random)[:, 0])
    return log, X, hiding


def contestants(log, X, hiding):
    """Return a function for each contestant that finds its directions."""
    found = {
        "raw observation": lambda: np.eye(X.shape[1]),
        "PCA": lambda: PCA(M).fit(X).components_,
        "SFA": lambda: SFA(M).fit(X, groups=log.groups).components_,
        "GPFA": lambda: GPFA(M).fit(X, groups=log.groups).components_,
        "GPFA with actions": lambda: (
            GPFA(M).fit(X, groups=log.groups, actions=log.actions).components_
        ),
        "truth": lambda: hiding.truth,
    }
    if "actions" not in inspect.signature(GPFA.fit).parameters:
        del found["GPFA with actions"]
    return found


def share_found(features, states):
    """Return the share of the states' variance that is a linear function of the features."""
    states = (states - states.mean(axis=0)) / states.std(axis=0)
    features = features - features.mean(axis=0)
    left = states - features @ np.linalg.lstsq(features, states, rcond=None)[0]
    return float(1 - np.square(left).mean())


def run(noise, seed, done):
    """Yield a row for each contestant."""
    log, X, hiding = draw(noise, seed)
    for name, find in contestants(log, X, hiding).items():
        if (noise, seed, name) in done:
            continue
        started = perf_counter()
        directions = find()
        seconds = perf_counter() - started
        features = (X - X.mean(axis=0)) @ directions.T
        learner = Learner(hiding, X.mean(axis=0), directions, features.std(axis=0), seed)
        yield {
            "noise": noise, "seed": seed, "contestant": name, "score": learner.score(),
            "found": share_found(features, log.X), "seconds": seconds,
        }  # fmt: skip


def print_table(rows):
    head = ["noise", "contestant", "features", "found", "score ± standard error", "seeds"]
    print("| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|")
    for noise, name in dict.fromkeys((row["noise"], row["contestant"]) for row in rows):
        own = [row for row in rows if (row["noise"], row["contestant"]) == (noise, name)]
        scores = np.array([row["score"] for row in own])
        error = scores.std(ddof=1) / np.sqrt(len(scores)) if len(scores) > 1 else np.nan
        n = M + len(NOISES[noise]) if name == "raw observation" else M
        found = np.mean([row["found"] for row in own])
        cells = [noise, name, n, f"{found:.2f}", f"{scores.mean():.0f} ± {error:.0f}", len(own)]
        print("| " + " | ".join(map(str, cells)) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="a line for every contestant")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--table", action="store_true", help="print the table only")
    arguments = parser.parse_args()
    lines = arguments.out.read_text().splitlines() if arguments.out.exists() else []
    rows = [json.loads(line) for line in lines]
    done = {(row["noise"], row["seed"], row["contestant"]) for row in rows}
    if "actions" not in inspect.signature(GPFA.fit).parameters:
        print("GPFA with actions is left out: fit of this predfeat has no parameter `actions`.")
    n_seeds = 0 if arguments.table else arguments.seeds
    seeds = range(arguments.first_seed, arguments.first_seed + n_seeds)
    for noise, seed in product(NOISES, seeds):
        with threadpool_limits(1):
            for row in run(noise, seed, done):
                rows.append(row)
                with arguments.out.open("a") as file:
                    file.write(json.dumps(row) + "\n")
    print_table(rows)


if __name__ == "__main__":
    main()
