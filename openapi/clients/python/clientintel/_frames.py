"""Series counted from the rows of one analytics answer, as pandas frames. Only this module imports pandas at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from ._tables import needed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .models import AnalyticsPulseRow

pandas = needed("pandas", "pandas")
By = Literal["day", "week", "month", "campaign"]
_PERIODS = {"day": "D", "week": "W-SUN", "month": "M"}
_SENTIMENTS = {"promoter": "#2a8c62", "passive": "#d9b44a", "detractor": "#c8473f", "unknown": "#b5b9bf"}


class Plot(pandas.plotting.PlotAccessor):  # type: ignore[misc, name-defined, unused-ignore]
    """plot, with the options that suit the frame unless others are given."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        given = {name: value for name, value in options.items() if value is not None}
        return super().__call__(*args, **{**self._parent.attrs.get("plot", {}), **given})


class Frame(pandas.DataFrame):  # type: ignore[misc, name-defined, unused-ignore]
    plot = property(Plot)

    @property
    def _constructor(self) -> Any:
        return Frame


def sentiment(rows: Sequence[AnalyticsPulseRow], by: str) -> Frame:
    """The numbers of interviews of each sentiment. Periods without interviews are zero; the largest campaign is first."""
    if by not in (*_PERIODS, "campaign"):
        raise ValueError(f"by is day, week, month or campaign, not {by!r}")
    frame = pandas.DataFrame(rows, columns=["date", "campaignSlug", "campaignLabel", "sentiment"])
    keys = frame["campaignSlug"] if by == "campaign" else pandas.PeriodIndex(frame["date"], freq=_PERIODS[by])
    counts = pandas.crosstab(keys, frame["sentiment"]).reindex(columns=list(_SENTIMENTS), fill_value=0)
    if by == "campaign":
        labels = dict(zip(frame["campaignSlug"], frame["campaignLabel"]))
        counts = counts.loc[counts.sum(axis=1).sort_values(ascending=False, kind="stable").index].rename(index=labels)
    elif len(rows):
        periods = pandas.period_range(min(keys), max(keys))
        counts = counts.reindex(periods, fill_value=0).set_axis(periods.to_timestamp())
    else:
        counts = counts.set_axis(pandas.DatetimeIndex([]))
    counts = counts.rename_axis(index=by, columns=None)
    return _drawn(counts, kind="bar" if by == "campaign" else "area", stacked=True, color=list(_SENTIMENTS.values()))


def volume(rows: Sequence[AnalyticsPulseRow], by: str) -> Frame:
    return _drawn(sentiment(rows, by).sum(axis=1).to_frame("interviews"), kind="bar" if by == "campaign" else "line")


def nps(rows: Sequence[AnalyticsPulseRow], by: str) -> Frame:
    """Where there are no scores the NPS is missing, not zero."""
    counts = sentiment(rows, by)
    scores = counts[["promoter", "passive", "detractor"]].sum(axis=1)
    value = 100 * (counts["promoter"] - counts["detractor"]) / scores.where(scores > 0)
    frame = value.to_frame("nps").assign(scores=scores)
    return _drawn(frame, y="nps", kind="bar") if by == "campaign" else _drawn(frame, y="nps", ylabel="NPS", legend=False)


def _drawn(frame: Any, **options: Any) -> Frame:
    drawn = Frame(frame)
    drawn.attrs["plot"] = options
    return drawn
