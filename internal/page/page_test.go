package page

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/test/check"
)

func TestStart_IsTheCursorsOrBeforeEverything(t *testing.T) {
	never := time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	if got := (Request{}).Start(never); !got.Times[0].Equal(never) || got.ID != uuid.Max {
		t.Errorf("a first page starts after %+v", got)
	}
	if got := (Request{After: &place}).Start(never); got.ID != place.ID || !got.Times[0].Equal(place.Times[0]) {
		t.Errorf("a further page starts after %+v, want %+v", got, place)
	}
}

// The row beyond a page only proves that another page follows.
func TestTrim_CutsTheRowBeyondThePage(t *testing.T) {
	ids := []uuid.UUID{uuid.New(), uuid.New(), uuid.New()}
	positionOf := func(id uuid.UUID) Position { return Position{ID: id} }
	request := Request{Limit: 2}
	check.Equal(t, request.LookAhead(), 3, "rows that are read for a page of 2")
	rows, next := Trim(ids, request, positionOf)
	if len(rows) != 2 || rows[1] != ids[1] {
		t.Errorf("the page has %v of %v", rows, ids)
	}
	if next == nil || next.ID != ids[1] {
		t.Errorf("the next page starts at %v", next)
	}
	if rows, next := Trim(ids[:2], request, positionOf); len(rows) != 2 || next != nil {
		t.Errorf("the last page has %d rows and is followed by another", len(rows))
	}
}

// A missing time sorts before year 1, the first that a record may have.
func TestMissing_SortsAfterEveryTime(t *testing.T) {
	if first := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC); !Missing().Equal(first.AddDate(0, 0, -1)) {
		t.Errorf("a missing time is %s", Missing())
	}
}
