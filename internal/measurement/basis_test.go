package measurement

import (
	"encoding/json"
	"testing"

	"github.com/google/uuid"
)

// The ids of a basis are spelled once, by hand: as encoding/json would.
func TestListJSON_IsWhatMarshallingGives(t *testing.T) {
	for n := range 4 {
		ids := make([]uuid.UUID, n)
		for i := range ids {
			ids[i] = uuid.New()
		}
		want, err := json.Marshal(ids)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(listJSON(ids)); got != string(want) {
			t.Errorf("%d ids are %s, want %s", n, got, want)
		}
	}
}
