"""The client."""

from __future__ import annotations

import copy
import os
import time
from typing import TYPE_CHECKING, Any

from ._filters import AnalyticsFilters, CampaignFilters, InterviewFilters, PortalFilters, SearchFilters, SynthesisFilters
from ._requests import Requests
from ._transport import NoConnection
from ._walks import Walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from typing_extensions import Self, Unpack

    from . import models
    from ._frames import By
    from ._requests import Steps
    from ._sync import Counts
    from ._transport import Answer


class Client(Requests):
    """Reads what one key may see. It is safe for threads, and `with` closes its connections.

    url        the service's address, with or without /api/client/v1; by default CLIENTINTEL_URL
    key        the API key; by default CLIENTINTEL_KEY
    leave      requests of each hour to leave to others who use this key
    max_wait   seconds that one request may wait in all, for the quota and every Retry-After; what would take longer fails
    tries      how often to send one request that is refused for the quota, or while the service is out of reach
    timeout    seconds to wait for the service's next bytes
    on_wait    called with the seconds and the reason before each wait, which is logged as a warning too

    Filters are keyword arguments, with the names of the API's parameters. Dates are texts, date or datetime; a datetime
    without a zone is UTC.
    """

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def interviews(self, **filters: Unpack[InterviewFilters]) -> Walk[models.Interview, models.InterviewListResponse]:
        """All visible interviews that match, newest first."""
        return Walk(self, "/interviews", {"limit": 200, **filters})

    def campaigns(self, **filters: Unpack[CampaignFilters]) -> Walk[models.Campaign, models.CampaignListResponse]:
        """All campaigns that match, newest first."""
        return Walk(self, "/campaigns", {"limit": 200, **filters})

    def synthesis(self, **filters: Unpack[SynthesisFilters]) -> Walk[models.SynthesisDocumentRow, models.SynthesisListResponse]:
        """All published synthesis documents that match, latest refreshed first."""
        return Walk(self, "/synthesis", {"limit": 200, **filters})

    def portal(self, **filters: Unpack[PortalFilters]) -> Walk[models.PublishedSynthesisBody, models.SynthesisListResponse]:
        """The frozen bodies of the portal. Beside the declared fields a body has those of its own schema."""
        return Walk(self, "/synthesis", {"limit": 200, "surface": "portal", **filters})

    def interview(self, id: str) -> models.InterviewDetailResponse:
        """One interview, with every field that the key's scopes allow."""
        answer: models.InterviewDetailResponse = self._run(self._detail(id))
        return answer

    def analytics(self, **filters: Unpack[AnalyticsFilters]) -> models.InterviewAnalyticsResponse:
        """The series of the portal's charts; without dates, of the last 30 days."""
        answer: models.InterviewAnalyticsResponse = self._run(self._get("/analytics/interviews", {**filters}))
        return answer

    def search(self, q: str, **filters: Unpack[SearchFilters]) -> models.IntelligenceSearchResponse:
        """The newest interviews whose extracted texts contain q."""
        answer: models.IntelligenceSearchResponse = self._run(self._get("/intelligence/search", {"q": q, **filters}))
        return answer

    def nps(self, by: By = "week", **filters: Unpack[AnalyticsFilters]) -> Any:
        """The net promoter score and the number of scores, by day, week (from Monday), month or campaign: a pandas frame."""
        from ._frames import nps

        return nps(self.analytics(**filters)["data"]["rows"], by)

    def volume(self, by: By = "day", **filters: Unpack[AnalyticsFilters]) -> Any:
        """The number of interviews, as nps."""
        from ._frames import volume

        return volume(self.analytics(**filters)["data"]["rows"], by)

    def sentiment(self, by: By = "week", **filters: Unpack[AnalyticsFilters]) -> Any:
        """The numbers of promoters, passives, detractors and interviews without a score, as nps."""
        from ._frames import sentiment

        return sentiment(self.analytics(**filters)["data"]["rows"], by)

    def sync(
        self,
        target: str | os.PathLike[str],
        format: str | None = None,
        *,
        full: bool = False,
        columns: Iterable[str] = (),
        page: int = 200,
        max_wait: float = 3700,
        tries: int = 8,
        escape_formulas: bool = True,
        on_progress: Callable[[str, Counts], None] | None = None,
    ) -> dict[str, Counts]:
        """Keeps the tables campaigns, synthesis and interviews up to date, withdrawals included, and says what changed.

        target           warehouse.db (SQLite), warehouse.duckdb, a postgresql:// address (into its schema clientintel), or a
                         folder of files
        format           sqlite, duckdb, postgresql, parquet or csv, where the target does not say it
        full             read everything again, once a week: only that notices the few changes that nothing else shows
        columns          further columns of interviews, such as custom_extraction
        page             rows a request, 1 to 200
        max_wait, tries  how long each request may wait: the quota's hour
        escape_formulas  write an apostrophe before CSV cells that a spreadsheet would run as formulas
        on_progress      called after each page with the table and its counts so far
        """
        from ._sync import sync

        patient = copy.copy(self)
        patient._max_wait, patient._tries = max_wait, tries
        return sync(patient, os.fspath(target), format, full, list(columns), page, escape_formulas, on_progress)

    def _run(self, steps: Steps) -> Any:
        reply: Answer | NoConnection | None = None
        while True:
            try:
                step = steps.send(reply)
            except StopIteration as end:
                return end.value
            reply = None
            if isinstance(step, str):
                try:
                    reply = self._connections.send(step)
                except NoConnection as broken:
                    reply = broken
            else:
                time.sleep(step)
