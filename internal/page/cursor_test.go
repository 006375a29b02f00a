package page

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/fault"
)

var (
	sealer = NewSealer([]byte("a secret of at least thirty-two bytes"))
	walk   = Walk{ClientID: uuid.MustParse("11111111-1111-4111-8111-111111111111"), Route: "/interviews", Filters: []string{"=a", ""}}
	place  = Position{
		Times: []time.Time{time.Date(2026, 3, 1, 2, 3, 4, 567891000, time.UTC), {}},
		ID:    uuid.MustParse("22222222-2222-4222-8222-222222222222"),
	}
)

func TestCursor_RoundTrips(t *testing.T) {
	token := sealer.Seal(place, walk)
	if again := sealer.Seal(place, walk); again != token {
		t.Errorf("the same position gives %q and %q", token, again)
	}
	got, err := sealer.Open(token, walk)
	if err != nil {
		t.Fatal(err)
	}
	if got.ID != place.ID || len(got.Times) != 2 || !got.Times[0].Equal(place.Times[0]) || !got.Times[1].IsZero() {
		t.Errorf("opened %+v, want %+v", got, place)
	}
}

// A cursor belongs to one walk: anything else about the request refuses it.
func TestCursor_OtherWalksRefuseIt(t *testing.T) {
	token := sealer.Seal(place, walk)
	for name, other := range map[string]Walk{
		"client":           {ClientID: uuid.New(), Route: walk.Route, Filters: walk.Filters},
		"route":            {ClientID: walk.ClientID, Route: "/campaigns", Filters: walk.Filters},
		"filter":           {ClientID: walk.ClientID, Route: walk.Route, Filters: []string{"=b", ""}},
		"filter's place":   {ClientID: walk.ClientID, Route: walk.Route, Filters: []string{"", "=a"}},
		"filters' borders": {ClientID: walk.ClientID, Route: walk.Route, Filters: []string{"=a"}},
	} {
		if _, err := sealer.Open(token, other); err == nil {
			t.Errorf("a walk with another %s took the cursor", name)
		}
	}
	if _, err := NewSealer([]byte("another secret of thirty-two bytes!!")).Open(token, walk); err == nil {
		t.Error("another secret took the cursor")
	}
}

func TestCursor_AnyEditRefusesIt(t *testing.T) {
	token := sealer.Seal(place, walk)
	edits := []string{
		"", "x", token[:len(token)-1], token + "A", token + "=", token + "\n", token[:10] + "\r\n" + token[10:],
		strings.ToUpper(token), strings.Repeat("A", 2000), " " + token,
	}
	raw, _ := base64.RawURLEncoding.DecodeString(token)
	for i := range raw {
		flipped := append([]byte(nil), raw...)
		flipped[i] ^= 1
		edits = append(edits, base64.RawURLEncoding.EncodeToString(flipped))
	}
	for _, edited := range edits {
		_, err := sealer.Open(edited, walk)
		var f *fault.Error
		if !errors.As(err, &f) || f.Code != "invalid_cursor" {
			t.Errorf("%q: %v, want invalid_cursor", edited, err)
		}
	}
}

func FuzzCursor(f *testing.F) {
	f.Add(sealer.Seal(place, walk))
	f.Add("AQE")
	f.Fuzz(func(t *testing.T, token string) {
		p, err := sealer.Open(token, walk)
		if err == nil && sealer.Seal(p, walk) != token {
			t.Errorf("%q opens to what seals to %q", token, sealer.Seal(p, walk))
		}
	})
}
