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
	scope := filters{"id": req.ID.String()}.scope(caller, "/interviews/{id}")
	found, provenance, err := h.Interviews.Get(ctx, caller, req.ID, scope)
	if err != nil {
		return nil, err
	}
	middleware.RecordFrom(ctx).Rows = 1
	b := newBuffer()
	body, err := render.InterviewDetail(b.bytes, found, provenance, caller)
	return h.response(ctx, b, body), err
}
