"""The columns of the lists, and what kind of value each holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

TABLES: dict[str, dict[str, str]] = {
    "interviews": {
        "id": "text", "client_id": "text", "conversation_goal_id": "text", "participant_name": "text",
        "participant_email": "text", "interview_type": "text", "status": "text", "duration_seconds": "number",
        "nps_score": "number", "customer_sentiment": "text", "churn_risk": "text", "best_quote": "text",
        "transcript": "json", "raw_extraction": "json", "custom_extraction": "json", "created_at": "time",
    },
    "campaigns": {
        "id": "text", "client_id": "text", "slug": "text", "display_name": "text", "campaign_brief": "text", "goal": "text",
        "goal_context": "text", "key_questions": "json", "target_segment": "text", "playbook": "text", "cadence": "text",
        "active": "boolean", "launch_status": "text", "launched_at": "time", "last_refreshed": "time", "created_at": "time",
        "updated_at": "time",
    },
    "synthesis": {
        "id": "text", "client_id": "text", "synthesis_type": "text", "lane_id": "text", "conversation_goal_id": "text",
        "document": "json", "contract_version": "text", "status": "text", "cadence": "text", "feed_date": "date",
        "last_refreshed": "time", "created_at": "time", "updated_at": "time",
    },
}


def arrow_table(table: str, rows: Iterable[Mapping[str, Any]], columns: list[str] | None = None) -> Any:
    """A pyarrow table with the same types whatever the rows hold. Free-form values are JSON texts."""
    import json
    from datetime import date, datetime

    import pyarrow as pa  # type: ignore[import-not-found, import-untyped, unused-ignore]

    types = {
        "text": pa.string(), "number": pa.float64(), "boolean": pa.bool_(), "json": pa.string(),
        "time": pa.timestamp("us", tz="UTC"), "date": pa.date32(),
    }
    reads: dict[str, Callable[[Any], Any]] = {
        "number": float, "json": lambda v: json.dumps(v, ensure_ascii=False),
        "time": datetime.fromisoformat, "date": date.fromisoformat,
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
    import pandas  # type: ignore[import-not-found, import-untyped, unused-ignore]

    kept = list(rows)
    frame = pandas.DataFrame(kept, columns=list(kept[0]) if kept else list(TABLES[table]))
    for name, kind in TABLES[table].items():
        if name in frame and kind in ("time", "date"):
            frame[name] = pandas.to_datetime(frame[name], utc=kind == "time")
        elif name in frame and kind == "number":
            frame[name] = frame[name].astype("float64")
    return frame
