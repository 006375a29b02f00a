package httpapi

import (
	"context"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/interview"
	"github.com/clientintel/clientintel/internal/page"
	"github.com/clientintel/clientintel/internal/render"
)

// ListInterviews returns one page of the caller's usable interviews.
func (s *Server) ListInterviews(
	ctx context.Context, req api.ListInterviewsRequestObject,
) (api.ListInterviewsResponseObject, error) {
	caller := auth.CallerFrom(ctx)
	query, err := s.parseListInterviews(caller, req.Params)
	if err != nil {
		return nil, err
	}
	if err := s.awaitSpace(ctx, caller, query.Page.Limit); err != nil {
		return nil, err
	}
	buffer := NewBuffer()
	reservation, rows, size, fits := recordFrom(ctx).reservation, 0, 0, true
	response := render.NewInterviewList(buffer.Bytes, caller)
	found, err := s.deps.Interviews.List(ctx, caller, query, func(i *interview.Interview) bool {
		rows++
		response.Add(i)
		size = response.Size()
		if fits = reservation.Grow(int64(size)); !fits {
			response = nil // now: the other pages of the batch are read before this function continues
		}
		return fits
	})
	if rows > 0 {
		s.rowSizes.Add(caller.KeyID, int64(size/rows))
	}
	if !fits {
		return nil, apierror.Unavailable(errTooMuchUnsent)
	}
	if err != nil {
		return nil, err
	}
	body, err := response.End(found, s.nextCursor(query.Page, found.Next))
	if err != nil {
		return nil, err
	}
	recordFrom(ctx).rows = found.Count
	return rawResponse{buffer, body, reservation}, nil
}

func (s *Server) parseListInterviews(
	caller auth.Caller, p api.ListInterviewsParams,
) (interview.ListQuery, error) {
	given := filters{}
	given.add("campaign_id", p.CampaignID)
	given.add("status", p.Status)
	given.add("date_from", p.DateFrom)
	given.add("date_to", p.DateTo)

	query := interview.ListQuery{Status: p.Status, Scope: given.scope(caller, "/interviews")}
	query.CampaignID, query.MatchesNothing = parseID(p.CampaignID)
	var err error
	if query.Created, err = parseWindow(p.DateFrom, p.DateTo); err != nil {
		return query, err
	}
	scope := page.Scope{ClientID: caller.ClientID, Route: "/interviews", Filters: []string{
		idFilter(p.CampaignID), textFilter(p.Status), timeFilter(query.Created.From), timeFilter(query.Created.Until),
	}}
	query.Page, err = s.parsePage(p.Limit, p.StartingAfter, scope)
	return query, err
}
