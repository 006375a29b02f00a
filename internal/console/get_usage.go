package console

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/gen/admin"
	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/basis"
	"github.com/clientintel/clientintel/internal/timewindow"
)

// The longest windows of usage, and those that are shown by default.
const (
	maxDays, maxHours         = 400, 7 * 24
	defaultDays, defaultHours = 30, 24
)

// GetUsage sums a client's requests, or those of one key.
func (h *handlers) GetUsage(ctx context.Context, req admin.GetUsageRequestObject) (admin.GetUsageResponseObject, error) {
	client, err := h.client(ctx, req.Client)
	if err != nil {
		return nil, err
	}
	unit := cmp.Or(req.Params.By, new(admin.GetUsageParamsByDay))
	window, err := h.parseWindow(req.Params, *unit == admin.GetUsageParamsByHour)
	if err != nil {
		return nil, err
	}
	var key uuid.UUID // zero means all
	if req.Params.Key != nil {
		found, err := h.keys.Find(ctx, apikey.Named{Client: client.ID.String(), Key: req.Params.Key.String()})
		if err != nil {
			return nil, public(err)
		}
		key = found.ID
	}
	sums, err := h.keys.Usage(ctx, client.ID, []uuid.UUID{key}, string(*unit), window.From, window.Until)
	if err != nil {
		return nil, public(err)
	}
	var body admin.GetUsage200JSONResponse
	body.Data = make([]admin.UsageRow, len(sums))
	for i, s := range sums {
		body.Data[i] = admin.UsageRow{At: basis.Timestamp(s.Begins), Route: s.Route, Status: int(s.Status), Requests: int(s.Requests)}
		body.Meta.Requests += int(s.Requests)
	}
	body.Meta.ClientID, body.Meta.Count, body.Meta.By = client.ID, len(sums), admin.UsageResponseMetaBy(*unit)
	body.Meta.From, body.Meta.Until = basis.Timestamp(window.From), basis.Timestamp(window.Until)
	return body, nil
}

// parseWindow widens from and to to whole hours or days of UTC.
func (h *handlers) parseWindow(p admin.GetUsageParams, byHour bool) (timewindow.Window, error) {
	unit, longest, standard := 24*time.Hour, maxDays, defaultDays
	if byHour {
		unit, longest, standard = time.Hour, maxHours, defaultHours
	}
	var w timewindow.Window
	until := h.now().UTC().Add(time.Microsecond)
	to, err := timewindow.Parameter("to", p.To)
	if err != nil {
		return w, err
	}
	if to != nil {
		until = to.Until()
	}
	w.Until = until.Add(unit - 1).Truncate(unit)
	w.From = w.Until.Add(-time.Duration(standard) * unit)
	from, err := timewindow.Parameter("from", p.From)
	if err != nil {
		return w, err
	}
	if from != nil {
		w.From = from.Start().Truncate(unit)
	}
	switch {
	case !w.From.Before(w.Until):
		return w, apierror.InvalidDateRange("from is later than to; swap them or leave one out")
	case w.Until.Sub(w.From) > time.Duration(longest)*unit:
		return w, apierror.InvalidParameter(fmt.Sprintf("from and to may be %d days apart by day, and %d by hour", maxDays, maxHours/24))
	}
	return w, nil
}
