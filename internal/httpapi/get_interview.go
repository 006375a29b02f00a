package httpapi

import (
	"context"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/access"
	"github.com/clientintel/clientintel/internal/render"
)

// GetInterview answers one usable interview of the caller's.
func (s *Server) GetInterview(
	ctx context.Context, req api.GetInterviewRequestObject,
) (api.GetInterviewResponseObject, error) {
	caller := access.CallerFrom(ctx)
	scope := filters{"id": req.ID.String()}.scope(caller, "/interviews/{id}")
	buffer := newBuffer()
	answer := render.NewInterviewDetail(buffer.bytes, caller)
	stands, err := s.interviews.Get(ctx, caller, req.ID, scope, answer.Add)
	if err != nil {
		return nil, err
	}
	body, err := answer.EndDetail(stands)
	if err != nil {
		return nil, err
	}
	answered(ctx, 1)
	return written{buffer, body}, nil
}
