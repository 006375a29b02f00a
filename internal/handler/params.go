package handler

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/basis"
	"github.com/clientintel/clientintel/internal/page"
	"github.com/clientintel/clientintel/internal/timewindow"
)

// parseWindow reads date_from and date_to, both inclusive for the caller.
func parseWindow(from, to *string) (timewindow.Window, error) {
	window := timewindow.Always()
	first, err := parseMoment("date_from", from)
	if err != nil {
		return window, err
	}
	last, err := parseMoment("date_to", to)
	if err != nil {
		return window, err
	}
	if first != nil {
		window.From = first.Start()
	}
	if last != nil {
		window.Until = last.Until()
	}
	if !window.From.Before(window.Until) {
		return window, apierror.InvalidDateRange("date_from is later than date_to; swap them or leave one out")
	}
	return window, nil
}

func parseMoment(name string, text *string) (*timewindow.Moment, error) {
	if text == nil {
		return nil, nil
	}
	m, err := timewindow.Parse(*text)
	if err != nil {
		hint := ""
		if strings.Contains(*text, " ") {
			hint = apierror.AboutPlus
		}
		return nil, apierror.Parameter(name, fmt.Sprintf("%s %s %v; accepted: %s%s", name, apierror.Quote(*text), err, timewindow.Accepted, hint))
	}
	return &m, nil
}

// parseUpdatedSince reads updated_since, inclusive, which has its own error code.
func parseUpdatedSince(text *string) (*time.Time, error) {
	m, err := parseMoment("updated_since", text)
	if m == nil {
		return nil, err
	}
	return new(m.Start()), nil
}

// parseID reads an id that filters. A text that is no id matches nothing, as a new id does.
func parseID(text *string) *uuid.UUID {
	if text == nil {
		return nil
	}
	id, err := uuid.Parse(*text)
	if err != nil || len(*text) != 36 {
		id = uuid.New()
	}
	return &id
}

// parsePage reads limit and starting_after of a list.
func (h *Handlers) parsePage(limit *int, startingAfter *string, scope page.Scope) (page.Request, error) {
	asked := page.Request{Limit: parseLimit(limit), Scope: scope}
	if startingAfter == nil {
		return asked, nil
	}
	after, err := h.Cursors.Decode(*startingAfter, scope)
	asked.After = &after
	return asked, err
}

func parseLimit(limit *int) int {
	if limit == nil {
		return page.DefaultLimit
	}
	return *limit
}

// nextCursor is the cursor of the page that starts after a position, nil if there is none.
func (h *Handlers) nextCursor(asked page.Request, next *page.Position) *string {
	if next == nil {
		return nil
	}
	return new(h.Cursors.Encode(*next, asked.Scope))
}

// filters are the filters of a request as they were given.
type filters map[string]string

func (f filters) add(name string, value *string) {
	if value != nil {
		f[name] = *value
	}
}

func (f filters) scope(caller auth.Caller, route string) basis.Scope {
	return basis.Scope{ClientID: caller.ClientID, Route: route, Filters: f}
}

// A cursor is bound to normalised filters: two spellings of one moment or one id
// are one filter, and an absent filter differs from every value.

func timeFilter(t time.Time) string { return strconv.FormatInt(t.UnixMicro(), 10) }

func optionalTimeFilter(t *time.Time) string {
	if t == nil {
		return ""
	}
	return timeFilter(*t)
}

func textFilter(value *string) string {
	if value == nil {
		return ""
	}
	return "=" + *value
}

func idFilter(id *string) string { return strings.ToLower(textFilter(id)) }
