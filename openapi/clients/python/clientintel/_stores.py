"""Where sync keeps the tables: a SQLite or DuckDB database, or a folder of Parquet or CSV files."""

from __future__ import annotations

import csv
import json
import os
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._columns import TABLES
from ._tables import arrow_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_TYPES = {
    "text": "TEXT", "number": "DOUBLE PRECISION", "boolean": "BOOLEAN", "json": "JSON", "time": "TIMESTAMPTZ", "date": "DATE",
}


class Store:
    """Tables in a database. Each batch is one transaction."""

    def __init__(self, connection: Any, columns: Mapping[str, list[str]]) -> None:
        self._db = connection
        self._columns = columns
        for table, names in columns.items():
            cells = ", ".join(
                f"{name} {_TYPES[TABLES[table][name]]}" + (" PRIMARY KEY" if name == "id" else "") for name in names
            )
            self._db.execute(f"CREATE TABLE IF NOT EXISTS {table} ({cells})")
        self._db.execute("CREATE TABLE IF NOT EXISTS checkpoints (name TEXT PRIMARY KEY, value TEXT NOT NULL)")

    def put(self, table: str, rows: Iterable[Mapping[str, Any]]) -> set[str]:
        """Adds rows, or replaces those that are there. Returns their ids."""
        names = self._columns[table]
        kept = list(rows)
        self._db.execute("BEGIN")
        for row in kept:
            cells = [row.get(name) for name in names]
            self._put(table, names, [json.dumps(v, ensure_ascii=False) if isinstance(v, (dict, list)) else v for v in cells])
        self._db.execute("COMMIT")
        return {row["id"] for row in kept}

    def _put(self, table: str, names: list[str], cells: list[Any]) -> None:
        update = ", ".join(f"{name} = excluded.{name}" for name in names[1:])
        self._db.execute(
            f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
            f" ON CONFLICT ({names[0]}) DO UPDATE SET {update}",
            cells,
        )

    def remove(self, table: str, ids: Iterable[str]) -> None:
        self._db.execute("BEGIN")
        for gone in ids:
            self._db.execute(f"DELETE FROM {table} WHERE id = ?", [gone])
        self._db.execute("COMMIT")

    def ids(self, table: str) -> set[str]:
        return set(self._column(f"SELECT id FROM {table}"))

    def days(self) -> list[str]:
        return self._column("SELECT substr(CAST(created_at AS TEXT), 1, 10) FROM interviews ORDER BY 1")

    def count(self, table: str) -> int:
        return int(self._column(f"SELECT count(*) FROM {table}")[0])

    def checkpoint(self, name: str) -> str | None:
        found: list[str] = self._column(f"SELECT value FROM checkpoints WHERE name = '{name}'")
        return found[0] if found else None

    def set_checkpoint(self, name: str, value: str) -> None:
        self._put("checkpoints", ["name", "value"], [name, value])

    def close(self) -> None:
        self._db.close()

    def _column(self, query: str) -> list[Any]:
        return [row[0] for row in self._db.execute(query).fetchall()]


class Folder(Store):
    """Files that are written anew, each whole, from a database beside them."""

    def __init__(self, folder: Path, kind: str, columns: Mapping[str, list[str]]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        super().__init__(_sqlite(folder / ".clientintel.db"), columns)
        self._folder, self._kind = folder, kind

    def close(self) -> None:
        for table, names in self._columns.items():
            rows = self._db.execute(f"SELECT {', '.join(names)} FROM {table} ORDER BY id").fetchall()
            target = self._folder / f"{table}.{self._kind}"
            unfinished = target.with_suffix(".unfinished")
            getattr(self, "_write_" + self._kind)(unfinished, table, names, rows)
            os.replace(unfinished, target)
        super().close()

    def _write_csv(self, path: Path, table: str, names: list[str], rows: list[tuple[Any, ...]]) -> None:
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(names)
            writer.writerows(rows)

    def _write_parquet(self, path: Path, table: str, names: list[str], rows: list[tuple[Any, ...]]) -> None:
        import pyarrow.parquet  # type: ignore[import-not-found, import-untyped, unused-ignore]

        kinds = TABLES[table]
        read = [
            {
                name: json.loads(cell) if kinds[name] == "json" and cell is not None
                else bool(cell) if kinds[name] == "boolean" and cell is not None else cell
                for name, cell in zip(names, row)
            }
            for row in rows
        ]
        pyarrow.parquet.write_table(arrow_table(table, read, names), path)


def _sqlite(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None)


def open_store(target: str, kind: str | None, columns: Mapping[str, list[str]]) -> Store:
    """kind: sqlite, duckdb, parquet or csv; without one, what the name says."""
    path = Path(target)
    kind = kind or {".duckdb": "duckdb", ".db": "sqlite", ".sqlite": "sqlite"}.get(path.suffix)
    if kind in ("parquet", "csv"):
        return Folder(path, kind, columns)
    if kind == "duckdb":
        import duckdb  # type: ignore[import-not-found, import-untyped, unused-ignore]

        connection = duckdb.connect(target)
        connection.execute("SET TimeZone = 'UTC'")
        return Store(connection, columns)
    if kind == "sqlite":
        return Store(_sqlite(path), columns)
    raise ValueError(f"say with --format what {target} is to be: sqlite, duckdb, parquet or csv")
