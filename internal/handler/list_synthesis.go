package handler

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/synthesis"
	"github.com/clientintel/clientintel/internal/timewindow"
)

// ListSynthesis returns one page of published synthesis: rows of the collection,
// or with surface=portal, bodies of the portal.
func (h *Handlers) ListSynthesis(
	ctx context.Context, req api.ListSynthesisRequestObject,
) (api.ListSynthesisResponseObject, error) {
	caller := auth.CallerFrom(ctx)
	if req.Params.Surface != nil {
		return h.listPortal(ctx, caller, req.Params)
	}
	return h.listCollection(ctx, caller, req.Params)
}

// incompatible is a parameter that cannot be combined with the others.
type incompatible struct {
	name  string
	value *string // nil: not given
	why   string
}

// refuseIncompatible refuses the first of the parameters that was given.
func refuseIncompatible(parameters ...incompatible) error {
	for _, p := range parameters {
		if p.value != nil {
			return apierror.UnsupportedParameter(p.name + " " + p.why)
		}
	}
	return nil
}

// refuseFeedDates refuses bounds on a feed date with a type that has none.
func refuseFeedDates(p api.ListSynthesisParams, t synthesis.Type) error {
	if t == synthesis.DailyFeed {
		return nil
	}
	why := fmt.Sprintf("goes with type=daily_feed only, not with type=%s", t)
	return refuseIncompatible(
		incompatible{"day", p.Day, why}, incompatible{"date_from", p.DateFrom, why}, incompatible{"date_to", p.DateTo, why})
}

// parseDays reads day, or date_from and date_to. They bound a feed date, so they
// are days without a time, both inclusive. Nil matches rows without a feed date too.
func parseDays(p api.ListSynthesisParams) (*synthesis.Days, error) {
	if p.Day != nil {
		const why = "does not go together with day; give a day or a range"
		if err := refuseIncompatible(incompatible{"date_from", p.DateFrom, why}, incompatible{"date_to", p.DateTo, why}); err != nil {
			return nil, err
		}
		day, err := parseDay("day", *p.Day)
		return &synthesis.Days{First: day, Last: day}, err
	}
	if p.DateFrom == nil && p.DateTo == nil {
		return nil, nil
	}
	always := timewindow.Always()
	days := &synthesis.Days{First: always.From, Last: always.Until.AddDate(0, 0, -1)}
	var err error
	if p.DateFrom != nil {
		if days.First, err = parseDay("date_from", *p.DateFrom); err != nil {
			return nil, err
		}
	}
	if p.DateTo != nil {
		if days.Last, err = parseDay("date_to", *p.DateTo); err != nil {
			return nil, err
		}
	}
	if days.First.After(days.Last) {
		return nil, apierror.InvalidDateRange("date_from is later than date_to; swap them or leave one out")
	}
	return days, nil
}

func parseDay(name, text string) (time.Time, error) {
	day, err := timewindow.ParseDay(text)
	if err == nil {
		return day, nil
	}
	if _, notAMoment := timewindow.Parse(text); notAMoment == nil {
		err = errors.New("has a time of day")
	}
	return day, apierror.InvalidParameter(fmt.Sprintf("%s %s %v; accepted: YYYY-MM-DD, without a time", name, apierror.Quote(text), err))
}
