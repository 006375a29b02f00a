package sqltext

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
)

func TestInline_PutsArgumentsIntoTheText(t *testing.T) {
	t.Parallel()
	id := uuid.MustParse("11111111-1111-4111-8111-111111111111")
	literals := Literals(struct {
		Name  string
		Limit *int32
		At    time.Time
		ID    uuid.UUID
		On    bool
	}{"O'Hara", nil, time.Date(1970, 1, 2, 0, 0, 0, 1000, time.UTC), id, true})
	if want := []string{"'O''Hara'", "NULL", "to_timestamp(86400000001 / 1000000.0)", "'" + id.String() + "'", "true"}; !slices.Equal(literals, want) {
		t.Errorf("the literals are %q, want %q", literals, want)
	}
	got := Inline("-- name: X :many\nSELECT $1::text, $2::bigint\n    -- not $9\nWHERE $5;", literals)
	if want := "SELECT ('O''Hara')::text, (NULL)::bigint\nWHERE (true);"; got != want {
		t.Errorf("the text is %q, want %q", got, want)
	}
	if one := Literals(id); !slices.Equal(one, []string{"'" + id.String() + "'"}) {
		t.Errorf("one argument is %q", one)
	}
}
