"""The client."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from ._filters import AnalyticsFilters, CampaignFilters, InterviewFilters, PortalFilters, SearchFilters, SynthesisFilters
from ._requests import Requests
from ._transport import NoConnection, send
from ._walks import Walk

if TYPE_CHECKING:
    from typing import Unpack

    from . import models
    from ._requests import Steps
    from ._transport import Answer


class Client(Requests):
    """Reads what one key may see. url and key default to CLIENTINTEL_URL and CLIENTINTEL_KEY.

    leave      requests of each hour to leave to others who use this key
    max_wait   seconds that one request may wait in all, for the quota and every Retry-After; what would take longer fails
    tries      how often to try while the service is out of reach
    timeout    seconds that one answer may take
    on_wait    called with the seconds and the reason before each wait
    """

    def interviews(self, **filters: Unpack[InterviewFilters]) -> Walk[models.Interview, models.InterviewListResponse]:
        return Walk(self, "/interviews", {"limit": 200, **filters})

    def campaigns(self, **filters: Unpack[CampaignFilters]) -> Walk[models.Campaign, models.CampaignListResponse]:
        return Walk(self, "/campaigns", {"limit": 200, **filters})

    def synthesis(self, **filters: Unpack[SynthesisFilters]) -> Walk[models.SynthesisDocumentRow, models.SynthesisListResponse]:
        return Walk(self, "/synthesis", {"limit": 200, **filters})

    def portal(self, **filters: Unpack[PortalFilters]) -> Walk[models.PublishedSynthesisBody, models.SynthesisListResponse]:
        """The frozen bodies of the portal. Beside the declared fields a body has those of its own schema."""
        return Walk(self, "/synthesis", {"limit": 200, "surface": "portal", **filters})

    def interview(self, id: str) -> models.InterviewDetailResponse:
        answer: models.InterviewDetailResponse = self._run(self._detail(id))
        return answer

    def analytics(self, **filters: Unpack[AnalyticsFilters]) -> models.InterviewAnalyticsResponse:
        answer: models.InterviewAnalyticsResponse = self._run(self._get("/analytics/interviews", {**filters}))
        return answer

    def search(self, q: str, **filters: Unpack[SearchFilters]) -> models.IntelligenceSearchResponse:
        answer: models.IntelligenceSearchResponse = self._run(self._get("/intelligence/search", {"q": q, **filters}))
        return answer

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
                    reply = send(step, self._headers, self._timeout)
                except NoConnection as broken:
                    reply = broken
            else:
                time.sleep(step)
