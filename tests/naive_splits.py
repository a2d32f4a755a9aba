"""Slow, obvious twins of how a series is parted, and of how rows are taken."""

from itertools import pairwise

from naive import is_gap, reaches, run_of_rows, sequence_of_rows


def taken_sequences(X, groups, rows, pieces=None):
    """The rows taken, as lists of rows that still follow each other, gaps among them."""
    sequence = sequence_of_rows(X, groups)
    found = []
    for i, row in enumerate(rows):
        before = rows[i - 1] if i else None
        if (
            i > 0
            and row == before + 1
            and sequence[row] == sequence[before]
            and (pieces is None or pieces[i] == pieces[i - 1])
        ):
            found[-1].append(row)
        else:
            found.append([row])
    return found


def taken_runs(X, groups, rows, pieces=None):
    """The same, cut at gaps and without them."""
    found = []
    for block in taken_sequences(X, groups, rows, pieces):
        run = []
        for row in block:
            if is_gap(X[row]):
                found.append(run)
                run = []
            else:
                run.append(row)
        found.append(run)
    return [run for run in found if run]


def count_states(X, groups, rows, p, horizon):
    """How many rows t of a part have rows t-p+1 … t+horizon in one run, and in the part."""
    run, part = run_of_rows(X, groups), set(rows)
    return sum(
        reaches(run, t, back=p - 1, ahead=horizon)
        and all(row in part for row in range(t - p + 1, t + horizon + 1))
        for t in rows
    )


def purged_folds(X, groups, n_folds, gap):
    """(training rows, test rows) of every fold; None where blocks would be too short."""
    sequence, run = sequence_of_rows(X, groups), run_of_rows(X, groups)
    n_rows = len(X)
    numbers = [
        number
        for number in range(max(sequence) + 1)
        if any(reaches(run, t, gap - 1, 1) for t in range(n_rows) if sequence[t] == number)
    ]
    if len(numbers) >= 3:
        fold_of, n_in_fold = {}, [0] * min(n_folds, len(numbers))
        for number in sorted(numbers, key=lambda number: -sequence.count(number)):
            fold = min(range(len(n_in_fold)), key=lambda fold: n_in_fold[fold])
            fold_of[number] = fold
            n_in_fold[fold] += sequence.count(number)
        return [
            (
                [t for t in range(n_rows) if fold_of.get(sequence[t], fold) != fold],
                [t for t in range(n_rows) if fold_of.get(sequence[t]) == fold],
            )
            for fold in range(len(n_in_fold))
        ]
    samples = [t for t in range(n_rows) if not is_gap(X[t])]
    cuts = [number * len(samples) // n_folds for number in range(n_folds + 1)]
    if min(stop - start for start, stop in pairwise(cuts)) <= gap:
        return None
    edges = [0, *(samples[cut] for cut in cuts[1:-1]), n_rows]
    return [
        (
            [t for t in range(n_rows) if t < start - gap or t >= stop + gap],
            list(range(start, stop)),
        )
        for start, stop in pairwise(edges)
    ]
