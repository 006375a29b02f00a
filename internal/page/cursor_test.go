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

// What opens is what was sealed, letter by letter, and for this walk alone.
func FuzzCursor(f *testing.F) {
	token := sealer.Seal(place, walk)
	for _, text := range []string{
		token, sealer.Seal(Position{}, walk), sealer.Seal(place, Walk{}), "AQE", "", token + "=", token + "\n", "\xff", strings.Repeat("A", maxCursor+1),
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, token string) {
		p, err := sealer.Open(token, walk)
		if err != nil {
			var refused *fault.Error
			if !errors.As(err, &refused) || refused.Code != "invalid_cursor" || !strings.HasPrefix(refused.Details, "starting_after ") {
				t.Errorf("%q is refused with %v", token, err)
			}
			return
		}
		if sealer.Seal(p, walk) != token {
			t.Errorf("%q opens to what seals to %q", token, sealer.Seal(p, walk))
		}
		if _, err := sealer.Open(token, Walk{ClientID: walk.ClientID, Route: walk.Route}); err == nil {
			t.Errorf("%q opens for another walk", token)
		}
	})
}

// Whatever position is sealed opens again to the microsecond, and an edit of the
// text opens to nothing.
func FuzzSeal(f *testing.F) {
	f.Add(int64(0), []byte("0123456789abcdef"), uint16(3), byte(1))
	f.Add(int64(-62135596800000000), make([]byte, 16), uint16(0), byte('='))
	f.Fuzz(func(t *testing.T, micros int64, id []byte, at uint16, put byte) {
		p := Position{Times: []time.Time{time.UnixMicro(micros).UTC(), time.UnixMicro(-micros).UTC()}}
		copy(p.ID[:], id)
		token := sealer.Seal(p, walk)
		got, err := sealer.Open(token, walk)
		if err != nil || got.ID != p.ID || len(got.Times) != 2 || got.Times[0].UnixMicro() != micros || got.Times[1].UnixMicro() != -micros {
			t.Fatalf("%+v comes back as %+v (%v)", p, got, err)
		}
		edited := []byte(token)
		edited[int(at)%len(edited)] = put
		if _, err := sealer.Open(string(edited), walk); (err == nil) != (string(edited) == token) {
			t.Fatalf("%q, edited from %q, opens: %v", edited, token, err == nil)
		}
	})
}
