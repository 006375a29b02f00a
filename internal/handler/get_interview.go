package handler

import (
	"context"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/middleware"
	"github.com/clientintel/clientintel/internal/render"
)

// GetInterview returns one of the caller's usable interviews.
func (h *Handlers) GetInterview(
	ctx context.Context, req api.GetInterviewRequestObject,
) (api.GetInterviewResponseObject, error) {
	caller := auth.CallerFrom(ctx)
	scope := basisScope(caller, "/interviews/{id}", map[string]*string{"id": new(req.ID.String())})
	found, provenance, err := h.Interviews.Get(ctx, caller, req.ID, scope)
	if err != nil {
		return nil, err
	}
	middleware.RecordFrom(ctx).Rows = 1
	body, err := render.InterviewDetail(found, provenance, caller)
	return rawResponse{ctx, body, h.unsent}, err
}
