package interview

import (
	"github.com/google/uuid"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/basis"
	"github.com/clientintel/clientintel/internal/measurement"
	"github.com/clientintel/clientintel/internal/page"
	"github.com/clientintel/clientintel/internal/timewindow"
)

// Interview is one usable interview of a list. Its JSON is nil also when the caller may
// not see it.
type Interview = db.ListInterviewsRow

// Detail is one usable interview with all its fields. Its JSON is nil also when
// the caller may not see it.
type Detail = db.GetInterviewRow

// ListQuery asks for one page. CampaignID and Status nil mean any.
type ListQuery struct {
	CampaignID *uuid.UUID
	Status     *string
	Created    timewindow.Window
	Page       page.Request
	Scope      basis.Scope
}

// List is one page and the provenance of its numbers.
type List struct {
	Interviews  []Interview
	Next        page.Next
	Measurement measurement.Provenance
}
