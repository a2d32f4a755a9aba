"""Finished results in an SQLite file, each committed at once."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from predfeat._version import __version__
from predfeat.exceptions import LedgerError
from predfeat.experiments.reproduction._specification import DataPoint, canonical_json, key_of

__all__ = ["Ledger", "Measured", "Result"]

# In the file's header, so that another program's database is never taken for ours: "pfld".
_APPLICATION_ID = 0x70666C64
_LAYOUT = 1
_COLUMNS = {
    "results": ("key", "version", "specification", "predictability", "share"),
    "times": ("key", "seconds"),
}
_LOCK_SECONDS = 30.0  # to wait for another process's commit
_KEYS_AT_ONCE = 500

_TABLES = (
    """CREATE TABLE IF NOT EXISTS results (
        key TEXT PRIMARY KEY,
        version TEXT NOT NULL,
        specification TEXT NOT NULL,
        predictability REAL NOT NULL,
        share REAL NOT NULL
    ) WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS times (
        key TEXT PRIMARY KEY,
        seconds REAL NOT NULL
    ) WITHOUT ROWID""",
)


@dataclass(frozen=True)
class Measured:
    """The result of a data point.

    Attributes
    ----------
    predictability : float
        Eq. (2) of the paper: lower is better.
    share : float
        The same divided by the features' variance on the rows measured.
    """

    predictability: float
    share: float


@dataclass(frozen=True)
class Result:
    """A data point with its result, on its way into the ledger.

    Attributes
    ----------
    point : DataPoint
    measured : Measured
    seconds : float
        Time of the fit. Kept in a table of its own: it is never the same twice.
    """

    point: DataPoint
    measured: Measured
    seconds: float


class Ledger:
    """A file of finished results that survives being stopped at any moment.

    A result is found under the hash of its specification and of the library's version. Results
    that come together are committed together, on disk when `record` returns; a process that is
    killed loses only what it was computing. Several processes may use one file.

    Parameters
    ----------
    path : str or path
        The file; it is created if there is none.
    version : str
        Of the library that computes.
    patience : float
        Seconds to wait while another process writes.

    Raises
    ------
    LedgerError
        The file is no ledger or of a newer layout, or it cannot be read or written.

    Examples
    --------
    >>> import tempfile
    >>> from predfeat.experiments.reproduction import DataPoint, Fit, Ledger, Measured, Result
    >>> fit = Fit("toy", "noise", "", 10, 700, 100, 700, None, "SFA", (("n_components", 2),), 0, 0)
    >>> point = DataPoint(fit, n_components=2, n_lags=1, n_neighbors=10)
    >>> with tempfile.TemporaryDirectory() as folder, Ledger(f"{folder}/ledger.sqlite") as ledger:
    ...     ledger.record([Result(point, Measured(1.5, 0.75), seconds=0.1)])
    ...     ledger.find([point])[point].predictability
    1.5
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        version: str = __version__,
        patience: float = _LOCK_SECONDS,
    ):
        self.path = Path(path)
        self.version = version
        with self._named_errors("opened"):
            self._connection = sqlite3.connect(self.path, timeout=patience, isolation_level=None)
        try:
            self._prepare()
        except BaseException:
            self._connection.close()
            raise

    def _prepare(self) -> None:
        """Check that the file is a ledger and can be written, before hours of work."""
        with self._named_errors("opened"):
            self._connection.execute("PRAGMA synchronous = FULL")
            with self._transaction():
                (application,) = self._connection.execute("PRAGMA application_id").fetchone()
                (layout,) = self._connection.execute("PRAGMA user_version").fetchone()
                (n_tables,) = self._connection.execute(
                    "SELECT count(*) FROM sqlite_master"
                ).fetchone()
                if application != _APPLICATION_ID and (application or layout or n_tables):
                    raise LedgerError(
                        f"{self.path} is a database of another program, not a ledger of results. "
                        "Nothing in it was changed. Give another folder."
                    )
                if layout > _LAYOUT:
                    raise LedgerError(
                        f"{self.path} was written by a newer predfeat (layout {layout}, this one "
                        f"knows {_LAYOUT}). Nothing in it was changed. Update predfeat, or give "
                        "another folder."
                    )
                for table in _TABLES:
                    self._connection.execute(table)
                self._refuse_other_contents()
                # Written even if already there: a read-only file fails here.
                self._connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
                self._connection.execute(f"PRAGMA user_version = {_LAYOUT}")

    def _refuse_other_contents(self) -> None:
        """Raise if the file holds more than our tables: views and triggers can run code."""
        there = self._connection.execute(
            "SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        ).fetchall()
        if sorted(there) != [("table", name) for name in sorted(_COLUMNS)]:
            raise self._damaged("it holds more than tables of results")
        for name, columns in _COLUMNS.items():
            found = self._connection.execute(f"PRAGMA table_info({name})").fetchall()
            if tuple(column[1] for column in found) != columns:
                raise self._damaged(f"its table {name} has different columns")

    def _damaged(self, why: str) -> LedgerError:
        return LedgerError(
            f"{self.path} is no ledger of results, or it is damaged ({why}). Give another folder."
        )

    def record(self, results: Sequence[Result]) -> None:
        """Commit results, all of them or none; existing ones stay unchanged.

        Parameters
        ----------
        results : list of Result

        Raises
        ------
        LedgerError
            They could not be written; what was there before is untouched.
        """
        rows = [(key_of(result.point, self.version), result) for result in results]
        # Not "OR IGNORE", which would also ignore a NaN.
        with self._named_errors("written"), self._transaction():
            self._connection.executemany(
                "INSERT INTO results VALUES (?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING",
                [
                    (
                        key,
                        self.version,
                        canonical_json(result.point),
                        result.measured.predictability,
                        result.measured.share,
                    )
                    for key, result in rows
                ],
            )
            self._connection.executemany(
                "INSERT INTO times VALUES (?, ?) ON CONFLICT (key) DO NOTHING",
                [(key, result.seconds) for key, result in rows],
            )

    def find(self, points: Iterable[DataPoint]) -> dict[DataPoint, Measured]:
        """Return the results in the ledger, of this version of the library.

        Parameters
        ----------
        points : iterable of DataPoint

        Returns
        -------
        dict of Measured

        Raises
        ------
        LedgerError
            The file is damaged.
        """
        return {
            point: Measured(*values)
            for point, values in self._look_up("results", "predictability, share", points)
        }

    def seconds(self, points: Iterable[DataPoint]) -> dict[DataPoint, float]:
        """Return the times of the fits whose results are in the ledger.

        Parameters
        ----------
        points : iterable of DataPoint

        Returns
        -------
        dict of float

        Raises
        ------
        LedgerError
            The file is damaged.
        """
        return {point: values[0] for point, values in self._look_up("times", "seconds", points)}

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __len__(self) -> int:
        with self._named_errors("read"):
            (n_rows,) = self._connection.execute("SELECT count(*) FROM results").fetchone()
        return int(n_rows)

    def _look_up(
        self, table: str, columns: str, points: Iterable[DataPoint]
    ) -> Iterator[tuple[DataPoint, tuple[float, ...]]]:
        by_key = {key_of(point, self.version): point for point in points}
        keys = list(by_key)
        for start in range(0, len(keys), _KEYS_AT_ONCE):
            some = keys[start : start + _KEYS_AT_ONCE]
            places = ", ".join("?" * len(some))
            query = f"SELECT key, {columns} FROM {table} WHERE key IN ({places})"
            with self._named_errors("read"):
                rows = self._connection.execute(query, some).fetchall()
            for key, *values in rows:
                # A damaged index finds other rows than were asked for; any cell may hold text.
                if key not in by_key or not all(type(value) is float for value in values):
                    raise self._damaged(f"its table {table} holds unexpected values")
                yield by_key[key], tuple(values)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        # Immediate: the write lock at once, or two processes that both read first could never
        # both go on to write.
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    @contextmanager
    def _named_errors(self, done: str) -> Iterator[None]:
        try:
            yield
        except UnicodeDecodeError as error:  # SQLite quotes bytes it cannot decode
            raise self._damaged("it holds invalid text") from error
        except sqlite3.Error as error:
            raise LedgerError(_explained(self.path, done, error)) from error


def _explained(path: Path, done: str, error: sqlite3.Error) -> str:
    """Return a message for the user about an error of SQLite."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    kept = "Results that were finished before are kept; run the same command again to go on."
    if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        return f"{path} is no ledger of results, or it is damaged ({error}). Give another folder."
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return f"{path} is locked by another program. Close it. {kept}"
    if code == sqlite3.SQLITE_FULL:
        return f"{path} cannot be {done}: the disk is full. Make room. {kept}"
    if code == sqlite3.SQLITE_READONLY:
        return f"{path} cannot be written: it, or its folder, is read-only. {kept}"
    if code == sqlite3.SQLITE_CANTOPEN:
        return f"{path} cannot be opened: the folder does not exist, or is not yours ({error})."
    return f"{path} cannot be {done}: {error}. {kept}"
