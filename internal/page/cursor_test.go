package page

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
)

var (
	codec = NewCodec([]byte("a secret of at least thirty-two bytes"))
	scope = Scope{ClientID: uuid.MustParse("11111111-1111-4111-8111-111111111111"), Route: "/interviews", Filters: []any{"=a", ""}}
	place = Position{
		Times: []time.Time{time.Date(2026, 3, 1, 2, 3, 4, 567891000, time.UTC), {}},
		ID:    uuid.MustParse("22222222-2222-4222-8222-222222222222"),
	}
)

func TestCursor_RoundTrips(t *testing.T) {
	token := codec.Encode(place, scope)
	check.Equal(t, codec.Encode(place, scope), token, "the same position again")
	got, err := codec.Decode(token, scope)
	require.NoError(t, err)
	if got.ID != place.ID || len(got.Times) != 2 || !got.Times[0].Equal(place.Times[0]) || !got.Times[1].IsZero() {
		t.Errorf("opened %+v, want %+v", got, place)
	}
}

// A cursor belongs to one scope.
func TestCursor_OtherScopesRefuseIt(t *testing.T) {
	token := codec.Encode(place, scope)
	for name, other := range map[string]Scope{
		"client":           {ClientID: uuid.New(), Route: scope.Route, Filters: scope.Filters},
		"route":            {ClientID: scope.ClientID, Route: "/campaigns", Filters: scope.Filters},
		"filter":           {ClientID: scope.ClientID, Route: scope.Route, Filters: []any{"=b", ""}},
		"filter's place":   {ClientID: scope.ClientID, Route: scope.Route, Filters: []any{"", "=a"}},
		"filters' borders": {ClientID: scope.ClientID, Route: scope.Route, Filters: []any{"=a"}},
	} {
		if _, err := codec.Decode(token, other); err == nil {
			t.Errorf("a scope with another %s accepted the cursor", name)
		}
	}
	if _, err := NewCodec([]byte("another secret of thirty-two bytes!!")).Decode(token, scope); err == nil {
		t.Error("another secret took the cursor")
	}
}

// While the previous secret is named its cursors are accepted, and new ones are
// made with the present one.
func TestCursor_TheSecretRotates(t *testing.T) {
	before, after := []byte("the previous secret of thirty-two b."), []byte("the present secret of thirty-two by.")
	old := NewCodec(before).Encode(place, scope)
	rotating := NewCodec(after, before)
	if got, err := rotating.Decode(old, scope); err != nil || got.ID != place.ID {
		t.Errorf("a cursor of the previous secret: %v", err)
	}
	if _, err := NewCodec(after).Decode(rotating.Encode(place, scope), scope); err != nil {
		t.Errorf("a new cursor is not of the present secret: %v", err)
	}
	if _, err := NewCodec(after).Decode(old, scope); err == nil {
		t.Error("a cursor of a secret that is no longer named was accepted")
	}
}

func TestCursor_AnyEditRefusesIt(t *testing.T) {
	token := codec.Encode(place, scope)
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
		_, err := codec.Decode(edited, scope)
		var f *apierror.Error
		if !errors.As(err, &f) || f.Code != "invalid_cursor" {
			t.Errorf("%q: %v, want invalid_cursor", edited, err)
		}
	}
}

// A text of any length is refused, also one that is signed and of another form.
func TestCursor_OfAnotherFormIsRefused(t *testing.T) {
	for size := range 64 {
		raw := make([]byte, size)
		signed := append(append(raw, cursorVersion, 0), mac(codec.secrets[0], append(raw, cursorVersion, 0), scope)...)
		otherVersion := append([]byte{cursorVersion + 1, 0}, place.ID[:]...)
		for _, bytes := range [][]byte{raw, signed, append(otherVersion, mac(codec.secrets[0], otherVersion, scope)...)} {
			if _, err := codec.Decode(base64.RawURLEncoding.EncodeToString(bytes), scope); !errors.Is(err, apierror.InvalidCursor) {
				t.Errorf("% x: %v, want invalid_cursor", bytes, err)
			}
		}
	}
}

// What decodes is what was encoded, letter by letter, and in this scope only.
func FuzzCursor(f *testing.F) {
	token := codec.Encode(place, scope)
	for _, text := range []string{
		token, codec.Encode(Position{}, scope), codec.Encode(place, Scope{}), "AQE", "", token + "=", token + "\n", "\xff", strings.Repeat("A", maxCursor+1),
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, token string) {
		p, err := codec.Decode(token, scope)
		if err != nil {
			var refused *apierror.Error
			if !errors.As(err, &refused) || refused.Code != "invalid_cursor" || !strings.HasPrefix(refused.Details, "starting_after ") {
				t.Errorf("%q is refused with %v", token, err)
			}
			return
		}
		check.Equal(t, codec.Encode(p, scope), token)
		if _, err := codec.Decode(token, Scope{ClientID: scope.ClientID, Route: scope.Route}); err == nil {
			t.Errorf("%q decodes for another scope", token)
		}
	})
}

// Whatever position is encoded is decoded again to the microsecond, and an edit of the
// text opens to nothing.
func FuzzEncode(f *testing.F) {
	f.Add(int64(0), []byte("0123456789abcdef"), uint16(3), byte(1))
	f.Add(int64(-62135596800000000), make([]byte, 16), uint16(0), byte('='))
	f.Fuzz(func(t *testing.T, micros int64, id []byte, at uint16, put byte) {
		p := Position{Times: []time.Time{time.UnixMicro(micros).UTC(), time.UnixMicro(-micros).UTC()}}
		copy(p.ID[:], id)
		token := codec.Encode(p, scope)
		got, err := codec.Decode(token, scope)
		if err != nil || got.ID != p.ID || len(got.Times) != 2 || got.Times[0].UnixMicro() != micros || got.Times[1].UnixMicro() != -micros {
			t.Fatalf("%+v comes back as %+v (%v)", p, got, err)
		}
		edited := []byte(token)
		edited[int(at)%len(edited)] = put
		if _, err := codec.Decode(string(edited), scope); (err == nil) != (string(edited) == token) {
			t.Fatalf("%q, edited from %q, opens: %v", edited, token, err == nil)
		}
	})
}
