package httpapi

import (
	"context"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/render"
)

// GetInterview returns one of the caller's usable interviews.
func (s *Server) GetInterview(
	ctx context.Context, req api.GetInterviewRequestObject,
) (api.GetInterviewResponseObject, error) {
	caller := auth.CallerFrom(ctx)
	scope := filters{"id": req.ID.String()}.scope(caller, "/interviews/{id}")
	found, provenance, err := s.deps.Interviews.Get(ctx, caller, req.ID, scope)
	if err != nil {
		return nil, err
	}
	recordFrom(ctx).rows = 1
	buffer := NewBuffer()
	body, err := render.InterviewDetail(buffer.Bytes, found, provenance, caller)
	return rawResponse{buffer, body, recordFrom(ctx).reservation}, err
}
