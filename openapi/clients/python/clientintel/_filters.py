"""The parameters of the operations. Dates are dates, datetimes, or texts: 2026-03-01, or 2026-03-01T06:30:00Z."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict, Union

if TYPE_CHECKING:
    from datetime import date

    from .models import SynthesisType

    Date = Union[str, date]


class _List(TypedDict, total=False):
    limit: int
    starting_after: str | None


class _Window(TypedDict, total=False):
    date_from: Date
    date_to: Date


class InterviewFilters(_List, _Window, total=False):
    campaign_id: str
    status: str


class CampaignFilters(_List, _Window, total=False):
    updated_since: Date
    status: str
    campaign_id: str


class SynthesisFilters(_List, _Window, total=False):
    updated_since: Date
    type: Literal["lane", "campaign", "home", "daily_feed"]
    lane_id: str
    campaign_id: str
    day: Date


class PortalFilters(_List, _Window, total=False):
    type: SynthesisType
    lane: str
    campaign: str
    day: Date


class AnalyticsFilters(_Window, total=False):
    campaign: str


class SearchFilters(TypedDict, total=False):
    campaign: str
    limit: int
