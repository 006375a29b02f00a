"""Keeps tables up to date, withdrawals included. The BI guide's section on warehouses explains why it does what it does."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, cast

from ._errors import ClientIntelError, NotFound

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ._client import Client
    from ._stores import Store

LOOK_BACK = timedelta(days=30)  # interviews this young are read again each time
OVERLAP = timedelta(days=1)  # changes this old are read again each time
CHUNK = 5000  # interviews per window when asking which are visible

# participant_name is left out, so that the tables hold no names.
COLUMNS = {
    "campaigns": [
        "id", "slug", "display_name", "goal", "target_segment", "launch_status", "active", "launched_at", "created_at",
        "updated_at",
    ],
    "synthesis": [
        "id", "synthesis_type", "lane_id", "conversation_goal_id", "contract_version", "document", "feed_date",
        "last_refreshed", "created_at", "updated_at",
    ],
    "interviews": [
        "id", "conversation_goal_id", "interview_type", "status", "duration_seconds", "nps_score", "customer_sentiment",
        "churn_risk", "best_quote", "created_at",
    ],
}


def sync(client: Client, store: Store, *, full: bool = False, page: int = 200) -> None:
    """Brings a store up to date. full reads everything again, which shows what no other way shows."""
    sync_changed(client, store, "campaigns", full, page)
    sync_changed(client, store, "synthesis", full, page)
    sync_interviews(client, store, full, page)


def sync_changed(client: Client, store: Store, table: str, full: bool, page: int) -> None:
    """Campaigns and synthesis: what has changed since the last complete walk."""

    def pages(**filters: Any) -> Iterator[Any]:
        walk: Any = client.campaigns if table == "campaigns" else client.synthesis
        yield from walk(limit=page, **filters).pages()

    saved = None if full else store.checkpoint(table)
    seen: set[str] = set()
    started: datetime | None = None
    for found in pages(**({"updated_since": saved} if saved else {})):
        started = started or now(client)
        seen |= store.put(table, found["data"])
    checkpoint = (cast("datetime", started) - OVERLAP).strftime("%Y-%m-%dT%H:%M:%SZ")
    if saved is None:
        # A row that was refreshed meanwhile has moved to the front, to pages already read.
        for found in pages(updated_since=checkpoint):
            seen |= store.put(table, found["data"])
        store.remove(table, store.ids(table) - seen)
    store.set_checkpoint(table, checkpoint)


def sync_interviews(client: Client, store: Store, full: bool, page: int) -> None:
    """Interviews: the young ones again, then those that have appeared or gone."""
    next(client.interviews(limit=1).pages())  # for the service's time
    young = (now(client) - LOOK_BACK).strftime("%Y-%m-%d")
    for found in client.interviews(limit=page, date_from=young).pages():
        store.put("interviews", found["data"])
    known = store.ids("interviews")
    visible = None if full else visible_ids(client, store)
    if visible is None or len(visible - known) > 1 + len(visible) / page:
        visible = set()  # a walk takes fewer requests than asking for each
        for found in client.interviews(limit=page).pages():
            visible |= store.put("interviews", found["data"])
    for missing in visible - store.ids("interviews"):
        try:
            store.put("interviews", [client.interview(missing)["data"]["interview"]])
        except NotFound:
            pass  # withdrawn a moment ago
    store.remove("interviews", known - visible)


def visible_ids(client: Client, store: Store) -> set[str] | None:
    """The ids of all visible interviews, or None where the service does not list them."""
    cuts = store.days()[CHUNK::CHUNK]
    ids: set[str] = set()
    for start, end in zip([None, *cuts], [*cuts, None]):
        window: Any = {name: day for name, day in (("date_from", start), ("date_to", end)) if day}
        meta = next(client.interviews(limit=1, **window).pages())["meta"]
        basis = meta.get("measurement_basis")
        if basis is None:
            return None
        ids.update(basis["source_interview_ids"])
    return ids


def now(client: Client) -> datetime:
    """The service's time at its latest answer."""
    date = client.latest and client.latest.date
    if not date:
        raise ClientIntelError("the answer has no Date, which a sync needs")
    return date
