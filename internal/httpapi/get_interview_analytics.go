package httpapi

import (
	"context"
	"net/http"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/analytics"
	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/fairqueue"
	"github.com/clientintel/clientintel/internal/render"
)

// GetInterviewAnalytics returns the figures of a window of the caller's interviews.
// A window with too many rows for memory is read while it is written.
func (s *Server) GetInterviewAnalytics(
	ctx context.Context, req api.GetInterviewAnalyticsRequestObject,
) (api.GetInterviewAnalyticsResponseObject, error) {
	caller := auth.CallerFrom(ctx)
	query, err := parseAnalytics(caller, req.Params)
	if err != nil {
		return nil, err
	}
	buffered, err := s.deps.Analytics.Read(ctx, caller, query)
	if err != nil {
		return nil, err
	}
	return &analyticsResponse{reader: s.deps.Analytics, ctx: ctx, caller: caller, query: query, buffered: buffered, unsent: s.unsent}, nil
}

func parseAnalytics(caller auth.Caller, p api.GetInterviewAnalyticsParams) (analytics.Query, error) {
	given := filters{}
	given.add("campaign", p.Campaign)
	given.add("date_from", p.DateFrom)
	given.add("date_to", p.DateTo)
	query := analytics.Query{Campaign: p.Campaign, Scope: given.scope(caller, "/analytics/interviews")}
	// Only the defaults of the window depend on the time of reading.
	if _, err := parseWindow(p.DateFrom, p.DateTo); err != nil {
		return query, err
	}
	query.From, _ = parseMoment("date_from", p.DateFrom)
	query.To, _ = parseMoment("date_to", p.DateTo)
	return query, nil
}

// analyticsResponse implements the generated response interface. It encodes rows
// while it writes, and may read them then.
type analyticsResponse struct {
	reader   *analytics.Reader
	ctx      context.Context //nolint:containedctx // the interface's method takes none
	caller   auth.Caller
	query    analytics.Query
	buffered *analytics.BufferedReport // nil: it is streamed
	unsent   *fairqueue.Budget
}

// VisitGetInterviewAnalyticsResponse writes the response. It returns an error only
// if nothing was sent.
func (a *analyticsResponse) VisitGetInterviewAnalyticsResponse(w http.ResponseWriter) error {
	if a.buffered != nil && a.buffered.Size() >= countedResponse {
		if !a.unsent.Reserve(a.caller.ClientID, a.buffered.Size()) {
			return apierror.Unavailable(errTooMuchUnsent)
		}
		defer a.unsent.Release(a.caller.ClientID, a.buffered.Size())
	}
	buffer := NewBuffer()
	out := newStream(w, buffer.Bytes)
	defer func() { buffer.Release(out.buf) }()
	return out.end(a.ctx, a.write(out))
}

func (a *analyticsResponse) write(out *stream) error {
	body, maxRows, rows := render.NewAnalytics(), recordFrom(a.ctx).maxRows, 0
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
	recordFrom(a.ctx).rows = report.Total
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
		return a.reader.Stream(a.ctx, a.caller, a.query, take)
	}
	for row := range a.buffered.Rows() {
		if err := take(row); err != nil {
			return analytics.Report{}, err
		}
	}
	return a.buffered.Report, nil
}
