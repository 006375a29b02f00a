package render

import (
	"testing"

	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
)

func TestAppendWithField_AppendsToTheBytes(t *testing.T) {
	t.Parallel()
	for object, want := range map[string]string{
		`{}`:                        `{"added":7}`,
		"{ \n}":                     "{ \n\"added\":7}",
		`{"a": 1.50}`:               `{"a": 1.50,"added":7}`,
		" {\"b\": {\"a\": {}} } ":   `{"b": {"a": {}} ,"added":7}`,
		`{"brace": "}", "z": [{}]}`: `{"brace": "}", "z": [{}],"added":7}`,
	} {
		got, err := appendWithField(nil, []byte(object), "added", []byte("7"))
		if err != nil || string(got) != want {
			t.Errorf("appendWithField(%q) = %s, %v; want %s", object, got, err, want)
		}
	}
	for _, other := range []string{"", "null", "[]", "}", "{", `"{}"`} {
		if got, err := appendWithField(nil, []byte(other), "added", []byte("7")); err == nil {
			t.Errorf("appendWithField(%q) = %s, want an error", other, got)
		}
	}
}

// The stored bytes must not be overwritten.
func TestAppendWithField_LeavesTheBodyAlone(t *testing.T) {
	t.Parallel()
	backing := []byte(`{"a": 1}, what follows in the same buffer`)
	_, err := appendWithField(nil, backing[:8], "added", []byte("7"))
	require.NoError(t, err)
	check.Equal(t, string(backing), `{"a": 1}, what follows in the same buffer`, "the buffer became")
}
