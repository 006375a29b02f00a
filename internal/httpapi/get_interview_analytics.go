package httpapi

import (
	"context"
	"net/http"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/access"
	"github.com/clientintel/clientintel/internal/analytics"
	"github.com/clientintel/clientintel/internal/render"
	"github.com/clientintel/clientintel/internal/timewindow"
)

// GetInterviewAnalytics answers a window of the caller's interviews, counted. One
// with too many rows to be held is read while it is written.
func (s *Server) GetInterviewAnalytics(
	ctx context.Context, req api.GetInterviewAnalyticsRequestObject,
) (api.GetInterviewAnalyticsResponseObject, error) {
	caller := access.CallerFrom(ctx)
	query, err := parseAnalytics(caller, req.Params)
	if err != nil {
		return nil, err
	}
	held, err := s.analytics.Read(ctx, caller, query)
	if err != nil {
		return nil, err
	}
	return &analyticsAnswer{reader: s.analytics, ctx: ctx, caller: caller, query: query, held: held}, nil
}

func parseAnalytics(caller access.Caller, p api.GetInterviewAnalyticsParams) (analytics.Query, error) {
	given := filters{}
	given.add("campaign", p.Campaign)
	given.add("date_from", p.DateFrom)
	given.add("date_to", p.DateTo)
	query := analytics.Query{Campaign: p.Campaign, Scope: given.scope(caller, "/analytics/interviews")}
	// The window itself depends on the moment of reading; what can be wrong does not.
	if _, err := parseWindow(p.DateFrom, p.DateTo); err != nil {
		return query, err
	}
	query.From, query.To = moment(p.DateFrom), moment(p.DateTo)
	return query, nil
}

// moment reads a bound that parseWindow has passed.
func moment(text *string) *timewindow.Moment {
	if text == nil {
		return nil
	}
	m, _ := timewindow.Parse(*text)
	return &m
}

// analyticsAnswer stands behind the generated response interface: what it writes
// is appended by hand, and may be read only while it is written.
type analyticsAnswer struct {
	reader *analytics.Reader
	ctx    context.Context //nolint:containedctx // the interface's method takes none
	caller access.Caller
	query  analytics.Query
	held   *analytics.Held // nil: to be streamed
}

// VisitGetInterviewAnalyticsResponse writes the answer. It returns an error only
// while nothing was sent.
func (a *analyticsAnswer) VisitGetInterviewAnalyticsResponse(w http.ResponseWriter) error {
	buffer := newBuffer()
	out := newStream(w, buffer.bytes)
	defer func() { buffer.release(out.buf) }()
	return out.end(a.ctx, a.write(out))
}

func (a *analyticsAnswer) write(out *stream) error {
	body := render.NewAnalytics()
	out.buf = body.AppendHead(out.buf)
	report, err := a.rows(func(row analytics.Row) error {
		out.buf = body.AppendRow(out.buf, row)
		return out.flush()
	})
	if err != nil {
		return err
	}
	answered(a.ctx, report.Total)
	out.buf = body.EndRows(out.buf)
	for point := range report.Volume {
		out.buf = body.AppendDay(out.buf, point)
		if err := out.flush(); err != nil {
			return err
		}
	}
	out.buf, err = body.AppendTail(out.buf, report, a.caller)
	return err
}

// rows hands out the rows and returns what they come to.
func (a *analyticsAnswer) rows(take func(analytics.Row) error) (analytics.Report, error) {
	if a.held == nil {
		return a.reader.Stream(a.ctx, a.caller, a.query, take)
	}
	for row := range a.held.Rows() {
		if err := take(row); err != nil {
			return analytics.Report{}, err
		}
	}
	return a.held.Report, nil
}
