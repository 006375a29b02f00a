package handler

import (
	"context"
	"net/http"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/analytics"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/middleware"
	"github.com/clientintel/clientintel/internal/render"
	"github.com/clientintel/clientintel/internal/timewindow"
)

// GetInterviewAnalytics returns the figures of a window of the caller's interviews.
// A window with too many rows for memory is read while it is written.
func (h *Handlers) GetInterviewAnalytics(
	ctx context.Context, req api.GetInterviewAnalyticsRequestObject,
) (api.GetInterviewAnalyticsResponseObject, error) {
	caller := auth.CallerFrom(ctx)
	query, err := parseAnalytics(caller, req.Params)
	if err != nil {
		return nil, err
	}
	buffered, err := h.Analytics.Read(ctx, caller, query)
	if err != nil {
		return nil, err
	}
	return &analyticsResponse{ctx, h, caller, query, buffered}, nil
}

func parseAnalytics(caller auth.Caller, p api.GetInterviewAnalyticsParams) (analytics.Query, error) {
	query := analytics.Query{Campaign: p.Campaign, Scope: basisScope(caller, "/analytics/interviews", map[string]*string{
		"campaign": p.Campaign, "date_from": p.DateFrom, "date_to": p.DateTo,
	})}
	// Only the defaults of the window depend on the time of reading.
	if _, err := parseWindow(p.DateFrom, p.DateTo); err != nil {
		return query, err
	}
	query.From, _ = timewindow.Parameter("date_from", p.DateFrom)
	query.To, _ = timewindow.Parameter("date_to", p.DateTo)
	return query, nil
}

// analyticsResponse implements the generated response interface. It encodes rows
// while it writes, and may read them then.
type analyticsResponse struct {
	ctx      context.Context //nolint:containedctx // the interface's method takes none
	handlers *Handlers
	caller   auth.Caller
	query    analytics.Query
	buffered *analytics.BufferedReport // nil: it is streamed
}

// VisitGetInterviewAnalyticsResponse writes the response. It returns an error only
// if nothing was sent.
func (a *analyticsResponse) VisitGetInterviewAnalyticsResponse(w http.ResponseWriter) error {
	if a.buffered != nil && len(a.buffered.Rows)*bytesOfRow >= largeResponse {
		release, err := awaitUnsent(a.ctx, a.handlers.unsent, len(a.buffered.Rows)*bytesOfRow)
		if err != nil {
			return err
		}
		defer release()
	}
	out := newStream(w, make([]byte, 0, streamChunk/8))
	return out.end(a.ctx, a.write(out))
}

// bytesOfRow is what a row takes in memory.
const bytesOfRow = 16

func (a *analyticsResponse) write(out *stream) error {
	body, maxRows, rows := render.NewAnalytics(), middleware.RecordFrom(a.ctx).MaxRows, 0
	out.buf = body.AppendHead(out.buf)
	report, err := a.rows(func(row analytics.Row) error {
		rows++
		switch {
		case maxRows == 0:
			out.buf = body.AppendRow(out.buf, row)
			return out.flush()
		case rows <= maxRows: // sent when it is known that there are no more
			out.buf = body.AppendRow(out.buf, row)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if maxRows > 0 && rows > maxRows {
		out.buf = body.AppendHead(out.buf[:0])
	}
	out.buf = body.EndRows(out.buf)
	middleware.RecordFrom(a.ctx).Rows = report.Total
	for point := range report.Volume {
		out.buf = body.AppendDay(out.buf, point)
		if err := out.flush(); err != nil {
			return err
		}
	}
	out.buf, err = body.AppendTail(out.buf, report, a.caller)
	return err
}

// rows calls take with each row and returns the report on them.
func (a *analyticsResponse) rows(take func(analytics.Row) error) (analytics.Report, error) {
	if a.buffered == nil {
		return a.handlers.Analytics.Stream(a.ctx, a.caller, a.query, take)
	}
	for _, row := range a.buffered.Rows {
		if err := take(row); err != nil {
			return analytics.Report{}, err
		}
	}
	return a.buffered.Report, nil
}
