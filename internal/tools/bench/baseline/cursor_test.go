package baseline

import (
	"testing"
	"time"

	"github.com/google/uuid"
)

// A comparison is worth something only if the baseline server guards its cursors too.
func TestCursor_RoundTripsAndRefusesEdits(t *testing.T) {
	t.Parallel()
	client, id := uuid.New(), uuid.New()
	at := time.Date(2026, 3, 1, 2, 3, 4, 567891000, time.UTC)
	text := Cursor(client, at, id)
	gotAt, gotID, err := parseCursor(client, text)
	if err != nil || !gotAt.Equal(at) || gotID != id {
		t.Errorf("opened %s and %s (%v), want %s and %s", gotAt, gotID, err, at, id)
	}
	for name, open := range map[string]func() (time.Time, uuid.UUID, error){
		"another client's": func() (time.Time, uuid.UUID, error) { return parseCursor(uuid.New(), text) },
		"a cut one":        func() (time.Time, uuid.UUID, error) { return parseCursor(client, text[:len(text)-1]) },
		"an edited one":    func() (time.Time, uuid.UUID, error) { return parseCursor(client, "B"+text[1:]) },
		"nothing":          func() (time.Time, uuid.UUID, error) { return parseCursor(client, "") },
	} {
		if _, _, err := open(); err == nil {
			t.Errorf("%s was opened", name)
		}
	}
}
