package httpapi

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/access"
	"github.com/clientintel/clientintel/internal/fault"
	"github.com/clientintel/clientintel/internal/synthesis"
	"github.com/clientintel/clientintel/internal/timewindow"
)

// ListSynthesis answers one page of published synthesis: rows of the collection,
// or, when a surface is named, bodies of the portal.
func (s *Server) ListSynthesis(
	ctx context.Context, req api.ListSynthesisRequestObject,
) (api.ListSynthesisResponseObject, error) {
	caller := access.CallerFrom(ctx)
	if req.Params.Surface != nil {
		return s.listPortal(ctx, caller, req.Params)
	}
	return s.listCollection(ctx, caller, req.Params)
}

// misfit is a parameter that does not go with the others, if it was given.
type misfit struct {
	name  string
	value *string
	why   string
}

// refuseMisfits refuses the first that was given.
func refuseMisfits(misfits ...misfit) error {
	for _, m := range misfits {
		if m.value != nil {
			return fault.UnsupportedParameter(m.name + " " + m.why)
		}
	}
	return nil
}

// feedDates refuses bounds on a feed date under a type that has none.
func feedDates(p api.ListSynthesisParams, t synthesis.Type) error {
	if t == synthesis.DailyFeed {
		return nil
	}
	why := fmt.Sprintf("goes with type=daily_feed only, not with type=%s", t)
	return refuseMisfits(
		misfit{"day", p.Day, why}, misfit{"date_from", p.DateFrom, why}, misfit{"date_to", p.DateTo, why})
}

// parseDays reads day, or date_from and date_to. They bound a feed date, so they
// are days without a time, both included. Nil is any day, and none.
func parseDays(p api.ListSynthesisParams) (*synthesis.Days, error) {
	if p.Day != nil {
		const why = "does not go together with day; give a day or a range"
		if err := refuseMisfits(misfit{"date_from", p.DateFrom, why}, misfit{"date_to", p.DateTo, why}); err != nil {
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
		return nil, fault.InvalidDateRange("date_from is later than date_to; swap them or leave one out")
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
	return day, fault.InvalidParameter(fmt.Sprintf("%s %s %v; accepted: YYYY-MM-DD, without a time", name, quote(text), err))
}

// dayFilter normalises a window of days for a walk.
func dayFilter(days *synthesis.Days) string {
	if days == nil {
		return ""
	}
	return instant(days.First) + " " + instant(days.Last)
}
