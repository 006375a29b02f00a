package interview

import (
	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/measurement"
	"github.com/clientintel/clientintel/internal/page"
)

// Interview is one usable interview of a list. Its JSON is nil also when the caller may
// not see it.
type Interview = db.ListInterviewsRow

// Detail is one usable interview with all its fields. Its JSON is nil also when
// the caller may not see it.
type Detail = db.GetInterviewRow

// List is one page and the provenance of its numbers.
type List struct {
	Interviews  []Interview
	Next        *page.Position
	Measurement measurement.Provenance
}
