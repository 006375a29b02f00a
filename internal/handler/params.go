package handler

import (
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/basis"
	"github.com/clientintel/clientintel/internal/timewindow"
)

// parseWindow reads date_from and date_to, both inclusive for the caller.
func parseWindow(from, to *string) (timewindow.Window, error) {
	window := timewindow.Always()
	first, err := timewindow.Parameter("date_from", from)
	if err != nil {
		return window, err
	}
	last, err := timewindow.Parameter("date_to", to)
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

// parseUpdatedSince reads updated_since, inclusive, which has its own error code.
func parseUpdatedSince(text *string) (*time.Time, error) {
	m, err := timewindow.Parameter("updated_since", text)
	if m == nil {
		return nil, err
	}
	return new(m.Start()), nil
}

// parseID reads an id that filters. A text that is no id matches nothing, as an id made of it does.
func parseID(text *string) *uuid.UUID {
	if text == nil {
		return nil
	}
	id, err := uuid.Parse(*text)
	if err != nil || len(*text) != 36 {
		id = uuid.NewSHA1(uuid.NameSpaceURL, []byte(*text))
	}
	return &id
}

// basisScope is the scope of a basis: the filters of a request as they were given.
func basisScope(caller auth.Caller, route string, given map[string]*string) basis.Scope {
	scope := basis.Scope{ClientID: caller.ClientID, Route: route, Filters: map[string]string{}}
	for name, value := range given {
		if value != nil {
			scope.Filters[name] = *value
		}
	}
	return scope
}
