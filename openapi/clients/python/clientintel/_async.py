"""The client for asyncio. Requests are sent in threads, so that it needs no other package."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from ._filters import AnalyticsFilters, CampaignFilters, InterviewFilters, PortalFilters, SearchFilters, SynthesisFilters
from ._requests import Requests
from ._transport import NoConnection
from ._walks import AsyncWalk

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from . import models
    from ._frames import By
    from ._requests import Steps
    from ._transport import Answer


class AsyncClient(Requests):
    """Client, with async for and await. Its methods are described there."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def interviews(self, **filters: Unpack[InterviewFilters]) -> AsyncWalk[models.Interview, models.InterviewListResponse]:
        return AsyncWalk(self, "/interviews", {"limit": 200, **filters})

    def campaigns(self, **filters: Unpack[CampaignFilters]) -> AsyncWalk[models.Campaign, models.CampaignListResponse]:
        return AsyncWalk(self, "/campaigns", {"limit": 200, **filters})

    def synthesis(
        self, **filters: Unpack[SynthesisFilters]
    ) -> AsyncWalk[models.SynthesisDocumentRow, models.SynthesisListResponse]:
        return AsyncWalk(self, "/synthesis", {"limit": 200, **filters})

    def portal(
        self, **filters: Unpack[PortalFilters]
    ) -> AsyncWalk[models.PublishedSynthesisBody, models.SynthesisListResponse]:
        return AsyncWalk(self, "/synthesis", {"limit": 200, "surface": "portal", **filters})

    async def interview(self, id: str) -> models.InterviewDetailResponse:
        answer: models.InterviewDetailResponse = await self._run(self._detail(id))
        return answer

    async def analytics(self, **filters: Unpack[AnalyticsFilters]) -> models.InterviewAnalyticsResponse:
        answer: models.InterviewAnalyticsResponse = await self._run(self._get("/analytics/interviews", {**filters}))
        return answer

    async def search(self, q: str, **filters: Unpack[SearchFilters]) -> models.IntelligenceSearchResponse:
        answer: models.IntelligenceSearchResponse = await self._run(self._get("/intelligence/search", {"q": q, **filters}))
        return answer

    async def nps(self, by: By = "week", **filters: Unpack[AnalyticsFilters]) -> Any:
        from ._frames import nps

        return nps((await self.analytics(**filters))["data"]["rows"], by)

    async def volume(self, by: By = "day", **filters: Unpack[AnalyticsFilters]) -> Any:
        from ._frames import volume

        return volume((await self.analytics(**filters))["data"]["rows"], by)

    async def sentiment(self, by: By = "week", **filters: Unpack[AnalyticsFilters]) -> Any:
        from ._frames import sentiment

        return sentiment((await self.analytics(**filters))["data"]["rows"], by)

    async def _run(self, steps: Steps) -> Any:
        reply: Answer | NoConnection | None = None
        while True:
            try:
                step = steps.send(reply)
            except StopIteration as end:
                return end.value
            reply = None
            if isinstance(step, str):
                try:
                    reply = await asyncio.to_thread(self._connections.send, step)
                except NoConnection as broken:
                    reply = broken
            else:
                await asyncio.sleep(step)
