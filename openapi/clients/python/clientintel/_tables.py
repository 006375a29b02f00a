"""Rows of the lists as a pyarrow table or a pandas frame."""

from __future__ import annotations

import json
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from ._columns import TABLES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


def needed(module: str, package: str) -> Any:
    """Imports a module that only an extra installs."""
    import importlib

    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError(f"this needs {missing.name}: pip install '{package}'", name=missing.name) from None


def moment(text: str) -> datetime:
    """Python 3.10 reads no Z."""
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def arrow_table(table: str, rows: Iterable[Mapping[str, Any]], columns: list[str] | None = None) -> Any:
    """A pyarrow table with the same types whatever the rows hold. Free-form values are JSON texts."""
    pa = needed("pyarrow", "pyarrow")
    types = {
        "text": pa.string(), "number": pa.float64(), "boolean": pa.bool_(), "json": pa.string(),
        "time": pa.timestamp("us", tz="UTC"), "date": pa.date32(),
    }
    reads: dict[str, Callable[[Any], Any]] = {
        "number": float, "json": lambda v: json.dumps(v, ensure_ascii=False),
        "time": moment, "date": date.fromisoformat,
    }
    kept = list(rows)
    names = columns or [name for name in TABLES[table] if not kept or name in kept[0]]
    kinds = {name: TABLES[table][name] for name in names}
    arrays = []
    for name, kind in kinds.items():
        read = reads.get(kind, lambda v: v)
        cells = [None if row[name] is None else read(row[name]) for row in kept]
        arrays.append(pa.array(cells, type=types[kind]))
    return pa.table(arrays, names=list(kinds))


def data_frame(table: str, rows: Iterable[Mapping[str, Any]]) -> Any:
    """A pandas frame. Times are timestamps in UTC, numbers are floats, free-form values stay objects."""
    pandas = needed("pandas", "pandas")
    kept = list(rows)
    frame = pandas.DataFrame(kept, columns=list(kept[0]) if kept else list(TABLES[table]))
    for name, kind in TABLES[table].items():
        if name in frame and kind in ("time", "date"):
            frame[name] = pandas.to_datetime(frame[name], utc=kind == "time")
        elif name in frame and kind == "number":
            frame[name] = frame[name].astype("float64")
    return frame
