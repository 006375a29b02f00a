package handler

import (
	"context"

	"github.com/clientintel/clientintel/internal/measurement"
	"github.com/clientintel/clientintel/internal/middleware"
	"github.com/clientintel/clientintel/internal/page"
	"github.com/clientintel/clientintel/internal/render"
	"github.com/clientintel/clientintel/internal/synthesis"
)

// limitsOf returns the limits of a call. An HTTP request has none.
func limitsOf(ctx context.Context) middleware.Limits {
	if call := middleware.RecordFrom(ctx).Call; call != nil {
		return call.Limits
	}
	return middleware.Limits{}
}

// trimBasis leaves a basis out that lists more ids than a call's limit.
func trimBasis(ctx context.Context, p *measurement.Provenance) {
	if l := limitsOf(ctx); l.MaxIDs > 0 && p.Basis != nil && p.Basis.SourceCount > l.MaxIDs {
		p.Basis = nil
	}
}

// trimSavedBases does the same for the saved bases of bodies.
func trimSavedBases(l middleware.Limits, bodies []synthesis.Body) {
	for _, body := range bodies {
		if l.MaxIDs > 0 && body.Integrity != nil && body.Integrity.Saved != nil {
			body.Integrity.Saved.Omitted = len(body.Integrity.Saved.SourceIDs) > l.MaxIDs
		}
	}
}

// pageOf returns the size limit and the cursor function of a list's page.
func (h *Handlers) pageOf(ctx context.Context, asked page.Request, next page.Next) render.Page {
	return render.Page{MaxBytes: limitsOf(ctx).PageBytes, Next: func(kept int) *string {
		position := next(kept)
		if position == nil {
			return nil
		}
		return new(h.Cursors.Encode(*position, asked.Scope))
	}}
}
