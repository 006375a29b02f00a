"""The parameters of the operations. Dates are texts: 2026-03-01, or 2026-03-01T06:30:00Z."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

if TYPE_CHECKING:
    from .models import SynthesisType


class _List(TypedDict, total=False):
    limit: int
    starting_after: str | None


class _Window(TypedDict, total=False):
    date_from: str
    date_to: str


class InterviewFilters(_List, _Window, total=False):
    campaign_id: str
    status: str


class CampaignFilters(_List, _Window, total=False):
    updated_since: str
    status: str
    campaign_id: str


class SynthesisFilters(_List, _Window, total=False):
    updated_since: str
    type: Literal["lane", "campaign", "home", "daily_feed"]
    lane_id: str
    campaign_id: str
    day: str


class PortalFilters(_List, _Window, total=False):
    type: SynthesisType
    lane: str
    campaign: str
    day: str


class AnalyticsFilters(_Window, total=False):
    campaign: str


class SearchFilters(TypedDict, total=False):
    campaign: str
    limit: int
