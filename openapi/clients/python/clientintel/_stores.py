"""Where sync keeps the tables: a SQLite, DuckDB or PostgreSQL database, or a folder of Parquet or CSV files."""

from __future__ import annotations

import csv
import json
import os
import sqlite3
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._columns import TABLES
from ._errors import ClientIntelError, StoreError
from ._tables import arrow_table, needed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

_TYPES = {
    "text": "TEXT", "number": "DOUBLE PRECISION", "boolean": "BOOLEAN", "json": "JSON", "time": "TIMESTAMPTZ", "date": "DATE",
}
SCHEMA = "clientintel"  # in PostgreSQL
# What a spreadsheet runs as a formula when a cell begins with it, the full-width forms too.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


class Store:
    """Tables in a database. Each batch is one transaction."""

    placeholder, differs, types = "?", "IS DISTINCT FROM", _TYPES

    def __init__(self, connection: Any, columns: Mapping[str, list[str]]) -> None:
        self._db = connection
        self._columns = columns
        self.altered = False  # columns were added, which only a full run fills
        for table, names in columns.items():
            cells = {name: self.types[TABLES[table][name]] + (" PRIMARY KEY" if name == "id" else "") for name in names}
            self._db.execute(f"CREATE TABLE IF NOT EXISTS {table} ({', '.join(f'{name} {kind}' for name, kind in cells.items())})")
            there = {column[0] for column in self._db.execute(f"SELECT * FROM {table} LIMIT 0").description}
            for name in (name for name in names if name not in there):
                self._db.execute(f"ALTER TABLE {table} ADD COLUMN {name} {cells[name]}")
                self.altered = True
        self._db.execute("CREATE TABLE IF NOT EXISTS checkpoints (name TEXT PRIMARY KEY, value TEXT NOT NULL)")

    def put(self, table: str, rows: Collection[Mapping[str, Any]]) -> tuple[int, int]:
        """Adds rows, or replaces those that are there. Returns how many are new, and how many others had other values."""
        names, kinds = self._columns[table], TABLES[table]
        there = self._known(table, [row["id"] for row in rows])
        written: list[str] = []
        self._db.execute("BEGIN")
        for row in rows:
            written += self._put(table, names, [_cell(kinds[name], row.get(name)) for name in names])
        self._db.execute("COMMIT")
        added = len(set(written) - there)
        return added, len(written) - added

    def _put(self, table: str, names: list[str], cells: list[Any]) -> list[str]:
        update = ", ".join(f"{name} = excluded.{name}" for name in names[1:])
        changed = " OR ".join(f"{table}.{name} {self.differs} excluded.{name}" for name in names[1:])
        return self._column(
            f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join([self.placeholder] * len(names))})"
            f" ON CONFLICT ({names[0]}) DO UPDATE SET {update} WHERE {changed} RETURNING {names[0]}",
            cells,
        )

    def remove(self, table: str, ids: Iterable[str]) -> None:
        self._db.execute("BEGIN")
        for gone in ids:
            self._db.execute(f"DELETE FROM {table} WHERE id = {self.placeholder}", [gone])
        self._db.execute("COMMIT")

    def ids(self, table: str) -> set[str]:
        return set(self._column(f"SELECT id FROM {table}"))

    def _known(self, table: str, ids: list[str]) -> set[str]:
        marks = ", ".join([self.placeholder] * len(ids))
        return set(self._column(f"SELECT id FROM {table} WHERE id IN ({marks})", ids)) if ids else set()

    def days(self) -> list[str]:
        return self._column("SELECT substr(CAST(created_at AS TEXT), 1, 10) FROM interviews ORDER BY 1")

    def count(self, table: str) -> int:
        return int(self._column(f"SELECT count(*) FROM {table}")[0])

    def checkpoint(self, name: str) -> str | None:
        found: list[str] = self._column(f"SELECT value FROM checkpoints WHERE name = '{name}'")
        return found[0] if found else None

    def set_checkpoint(self, name: str, value: str) -> None:
        self._put("checkpoints", ["name", "value"], [name, value])

    def finish(self) -> None:
        """Called at the end of a run that read everything it had to."""

    def close(self) -> None:
        self._db.close()

    def _column(self, query: str, cells: list[Any] | None = None) -> list[Any]:
        return [row[0] for row in self._db.execute(query, cells or []).fetchall()]


class SQLite(Store):
    differs = "IS NOT"  # the other is understood since 3.39 only

    def __init__(self, path: Path, columns: Mapping[str, list[str]]) -> None:
        super().__init__(sqlite3.connect(path, isolation_level=None), columns)


class DuckDB(Store):
    def __init__(self, path: str, columns: Mapping[str, list[str]]) -> None:
        connection = needed("duckdb", "duckdb").connect(path)
        connection.execute("SET TimeZone = 'UTC'")
        super().__init__(connection, columns)


class PostgreSQL(Store):
    placeholder, types = "%s", {**_TYPES, "json": "JSONB"}

    def __init__(self, address: str, columns: Mapping[str, list[str]]) -> None:
        connection = needed("psycopg", "psycopg[binary]").connect(address, autocommit=True)
        connection.execute("SET TIME ZONE 'UTC'")
        # Asked for first: IF NOT EXISTS alone needs the right to create one even where it is there.
        if not connection.execute("SELECT FROM pg_namespace WHERE nspname = %s", [SCHEMA]).rowcount:
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
        connection.execute(f"SET search_path TO {SCHEMA}")
        super().__init__(connection, columns)


class Folder(SQLite):
    """Files that are written anew, each whole, from a database beside them."""

    def __init__(self, folder: Path, kind: str, columns: Mapping[str, list[str]], escape_formulas: bool) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        super().__init__(folder / ".clientintel.db", columns)
        self._folder, self._kind, self._escape_formulas = folder, kind, escape_formulas

    def finish(self) -> None:
        for table, names in self._columns.items():
            rows = self._db.execute(f"SELECT {', '.join(names)} FROM {table} ORDER BY id").fetchall()
            target = self._folder / f"{table}.{self._kind}"
            unfinished = target.with_suffix(".unfinished")
            getattr(self, "_write_" + self._kind)(unfinished, table, names, rows)
            os.replace(unfinished, target)

    def _write_csv(self, path: Path, table: str, names: list[str], rows: list[tuple[Any, ...]]) -> None:
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(names)
            writer.writerows([self._harmless(cell) for cell in row] for row in rows)

    def _harmless(self, cell: Any) -> Any:
        return "'" + cell if self._escape_formulas and isinstance(cell, str) and cell.startswith(_FORMULA) else cell

    def _write_parquet(self, path: Path, table: str, names: list[str], rows: list[tuple[Any, ...]]) -> None:
        parquet = needed("pyarrow.parquet", "pyarrow")
        kinds = TABLES[table]
        read = [
            {
                name: json.loads(cell) if kinds[name] == "json" and cell is not None
                else bool(cell) if kinds[name] == "boolean" and cell is not None else cell
                for name, cell in zip(names, row)
            }
            for row in rows
        ]
        parquet.write_table(arrow_table(table, read, names), path)


def _cell(kind: str, value: Any) -> Any:
    if value is None:
        return None
    if kind == "json":
        return json.dumps(value, ensure_ascii=False)
    return float(value) if kind == "number" else value


@contextmanager
def opened(target: str, kind: str | None, columns: Mapping[str, list[str]], escape_formulas: bool) -> Iterator[Store]:
    """kind: sqlite, duckdb, postgresql, parquet or csv; without one, what the target says. What goes wrong in the target's
    own library is a StoreError."""
    path = Path(target)
    if target.startswith(("postgresql://", "postgres://")):
        kind = kind or "postgresql"
    kind = kind or {".duckdb": "duckdb", ".db": "sqlite", ".sqlite": "sqlite"}.get(path.suffix)
    if kind not in ("sqlite", "duckdb", "postgresql", "parquet", "csv"):
        raise ValueError(f"say by the format what {target} is to be: sqlite, duckdb, postgresql, parquet or csv")
    store: Store | None = None
    try:
        if kind == "sqlite":
            store = SQLite(path, columns)
        elif kind == "duckdb":
            store = DuckDB(target, columns)
        elif kind == "postgresql":
            store = PostgreSQL(target, columns)
        else:
            store = Folder(path, kind, columns, escape_formulas)
        yield store
    except (ClientIntelError, ValueError, ImportError):
        raise
    except Exception as broken:
        if isinstance(broken, (OSError, sqlite3.Error)) or type(broken).__module__.split(".")[0] in ("_duckdb", "duckdb", "psycopg"):
            raise StoreError(f"{kind}: {broken}") from broken
        raise
    finally:
        if store:
            store.close()
