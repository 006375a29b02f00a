package render

import (
	"testing"

	"github.com/clientintel/clientintel/gen/api"
)

// A page says whether another follows, and where it begins.
func TestPaged_NamesTheNextPage(t *testing.T) {
	t.Parallel()
	var last, other api.Meta
	paged(&last, nil)
	if *last.HasMore || !last.NextCursor.IsNull() {
		t.Errorf("the last page says %v, %v", *last.HasMore, last.NextCursor)
	}
	paged(&other, new("cursor"))
	if next, err := other.NextCursor.Get(); !*other.HasMore || err != nil || next != "cursor" {
		t.Errorf("another page says %v, %q (%v)", *other.HasMore, next, err)
	}
}
