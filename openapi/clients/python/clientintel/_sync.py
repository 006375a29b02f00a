"""Keeps tables up to date, withdrawals included. The BI guide's section on warehouses explains why it does what it does."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from ._columns import TABLES
from ._errors import ClientIntelError, NotFound, StoreError
from ._stores import opened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

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


class Counts(NamedTuple):
    """The rows that a table has, and of this run how many were added, changed and removed."""

    rows: int
    added: int
    changed: int
    removed: int


def sync(
    client: Client, target: str, format: str | None, full: bool, more: list[str], page: int, escape_formulas: bool,
    on_progress: Callable[[str, Counts], None] | None,
) -> dict[str, Counts]:
    columns = {**COLUMNS, "interviews": list(dict.fromkeys([*COLUMNS["interviews"], *more]))}
    for name in more:
        if name not in TABLES["interviews"]:
            raise ValueError(f"interviews have no column {name}")
    with opened(target, format, columns, escape_formulas) as store:
        client_id = next(client.interviews(limit=1).pages())["meta"]["client_id"]
        holds = store.checkpoint("client_id")
        if holds not in (None, client_id):
            raise StoreError(f"the target has the rows of client {holds}, and this key reads client {client_id}: choose another target")
        store.set_checkpoint("client_id", client_id)
        run = Run(client, store, full or store.altered, page, on_progress)
        run.changed("campaigns")
        run.changed("synthesis")
        run.interviews()
        store.finish()
        return {table: run.counts(table) for table in columns}


class Run:
    """One run. full reads everything again, which shows what no other way shows."""

    def __init__(
        self, client: Client, store: Store, full: bool, page: int, on_progress: Callable[[str, Counts], None] | None
    ) -> None:
        self._client, self._store, self._full, self._page, self._on_progress = client, store, full, page, on_progress
        self._done = {table: [0, 0, 0] for table in COLUMNS}

    def counts(self, table: str) -> Counts:
        return Counts(self._store.count(table), *self._done[table])

    def changed(self, table: str) -> None:
        """Campaigns and synthesis: what has changed since the last complete walk."""

        def pages(**filters: Any) -> Iterator[Any]:
            walk: Any = self._client.campaigns if table == "campaigns" else self._client.synthesis
            yield from walk(limit=self._page, **filters).pages()

        saved = None if self._full else self._store.checkpoint(table)
        known, seen = self._store.ids(table), set()
        started: datetime | None = None
        for found in pages(**({"updated_since": saved} if saved else {})):
            started = started or self._now()
            seen |= self._put(table, found["data"])
        checkpoint = (cast("datetime", started) - OVERLAP).strftime("%Y-%m-%dT%H:%M:%SZ")
        if saved is None:
            # A row that was refreshed meanwhile has moved to the front, to pages already read.
            for found in pages(updated_since=checkpoint):
                seen |= self._put(table, found["data"])
            self._remove(table, known - seen)
        self._store.set_checkpoint(table, checkpoint)

    def interviews(self) -> None:
        """Interviews: the young ones again, then those that have appeared or gone."""
        young = (self._now() - LOOK_BACK).strftime("%Y-%m-%d")
        for found in self._client.interviews(limit=self._page, date_from=young).pages():
            self._put("interviews", found["data"])
        known = self._store.ids("interviews")
        visible = None if self._full else self._visible_ids()
        if visible is None or len(visible - known) > 1 + len(visible) / self._page:
            visible = set()  # a walk takes fewer requests than asking for each
            for found in self._client.interviews(limit=self._page).pages():
                visible |= self._put("interviews", found["data"])
        for missing in visible - self._store.ids("interviews"):
            try:
                self._put("interviews", [self._client.interview(missing)["data"]["interview"]])
            except NotFound:
                pass  # withdrawn a moment ago
        self._remove("interviews", known - visible)

    def _visible_ids(self) -> set[str] | None:
        """The ids of all visible interviews, or None where the service does not list them."""
        cuts = self._store.days()[CHUNK::CHUNK]
        ids: set[str] = set()
        for start, end in zip([None, *cuts], [*cuts, None]):
            window: Any = {name: day for name, day in (("date_from", start), ("date_to", end)) if day}
            meta = next(self._client.interviews(limit=1, **window).pages())["meta"]
            basis = meta.get("measurement_basis")
            if basis is None:
                return None
            ids.update(basis["source_interview_ids"])
        return ids

    def _put(self, table: str, rows: Iterable[Mapping[str, Any]]) -> set[str]:
        kept = list(rows)
        self._count(table, *self._store.put(table, kept), 0)
        return {row["id"] for row in kept}

    def _remove(self, table: str, ids: set[str]) -> None:
        self._store.remove(table, ids)
        self._count(table, 0, 0, len(ids))

    def _count(self, table: str, *more: int) -> None:
        self._done[table] = [before + now for before, now in zip(self._done[table], more)]
        if self._on_progress:
            self._on_progress(table, self.counts(table))

    def _now(self) -> datetime:
        """The service's time at its latest answer."""
        date = self._client.latest and self._client.latest.date
        if not date:
            raise ClientIntelError("the answer has no Date, which a sync needs")
        return date
