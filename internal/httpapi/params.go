package httpapi

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/access"
	"github.com/clientintel/clientintel/internal/fault"
	"github.com/clientintel/clientintel/internal/measurement"
	"github.com/clientintel/clientintel/internal/page"
	"github.com/clientintel/clientintel/internal/timewindow"
)

// parseWindow reads date_from and date_to, both inclusive for the caller.
func parseWindow(from, to *string) (timewindow.Window, error) {
	window := timewindow.Always()
	if from != nil {
		m, err := parseMoment("date_from", *from)
		if err != nil {
			return window, err
		}
		window.From = m.Start()
	}
	if to != nil {
		m, err := parseMoment("date_to", *to)
		if err != nil {
			return window, err
		}
		window.Until = m.Until()
	}
	if !window.From.Before(window.Until) {
		return window, fault.InvalidDateRange("date_from is later than date_to; swap them or leave one out")
	}
	return window, nil
}

func parseMoment(name, text string) (timewindow.Moment, error) {
	m, err := timewindow.Parse(text)
	if err != nil {
		return m, fault.InvalidParameter(momentDetails(name, text, err))
	}
	return m, nil
}

// parseUpdatedSince reads updated_since, inclusive, which has a code of its own.
func parseUpdatedSince(text *string) (*time.Time, error) {
	if text == nil {
		return nil, nil
	}
	m, err := timewindow.Parse(*text)
	if err != nil {
		return nil, fault.InvalidUpdatedSince(momentDetails("updated_since", *text, err))
	}
	since := m.Start()
	return &since, nil
}

func momentDetails(name, text string, problem error) string {
	return fmt.Sprintf("%s %s %v; accepted: %s%s", name, quote(text), problem, timewindow.Accepted, plusHint(text))
}

// plusHint explains the space that a query string makes of a plus sign.
func plusHint(text string) string {
	if strings.Contains(text, " ") {
		return `; in a URL, write the plus sign of an offset as %2B`
	}
	return ""
}

// parseID reads an id used as a filter. What is no id matches nothing.
func parseID(text *string) (id *uuid.UUID, matchesNothing bool) {
	if text == nil {
		return nil, false
	}
	if len(*text) != 36 {
		return nil, true
	}
	parsed, err := uuid.Parse(*text)
	if err != nil {
		return nil, true
	}
	return &parsed, false
}

// parsePage reads limit and starting_after for one walk.
func (s *Server) parsePage(limit *int, startingAfter *string, walk page.Walk) (page.Request, error) {
	req := page.Request{Limit: page.DefaultLimit}
	if limit != nil {
		req.Limit = *limit
	}
	if startingAfter != nil {
		after, err := s.cursors.Open(*startingAfter, walk)
		if err != nil {
			return req, err
		}
		req.After = &after
	}
	return req, nil
}

// seal gives the rest of the walk's cursors.
func (s *Server) seal(walk page.Walk) func(page.Position) string {
	return func(p page.Position) string { return s.cursors.Seal(p, walk) }
}

// filters collects what was given, for the walk and for the measured scope.
type filters map[string]string

func (f filters) add(name string, value *string) {
	if value != nil {
		f[name] = *value
	}
}

func (f filters) scope(caller access.Caller, route string) measurement.Scope {
	return measurement.Scope{ClientID: caller.ClientID, Route: route, Filters: f}
}

// instant normalises a bound for a walk: two spellings of one moment are one filter.
func instant(t time.Time) string { return strconv.FormatInt(t.UnixMicro(), 10) }

// optionalInstant is instant for a bound that may be absent.
func optionalInstant(t *time.Time) string {
	if t == nil {
		return ""
	}
	return instant(*t)
}

// optional tells an absent filter from any value.
func optional(value *string) string {
	if value == nil {
		return ""
	}
	return "=" + *value
}
