package mcp

import (
	"encoding/json"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/clientintel/clientintel/internal/server"
)

func TestParseArguments(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string][]server.Argument{
		``:                              nil,
		`{}`:                            nil,
		`{ "limit" : 5 }`:               {{Name: "limit", Value: "5", Kind: server.Number}},
		`{"b":"2","a":"1"}`:             {{Name: "b", Value: "2"}, {Name: "a", Value: "1"}},
		`{"a":1,"a":"2"}`:               {{Name: "a", Value: "1", Kind: server.Number}, {Name: "a", Value: "2"}},
		`{"a":12345678901234567890.50}`: {{Name: "a", Value: "12345678901234567890.50", Kind: server.Number}},
		`{"a":-7}`:                      {{Name: "a", Value: "-7", Kind: server.Number}},
		`{"a":1E2}`:                     {{Name: "a", Invalid: "a number with an exponent"}},
		`{"a":null}`:                    {{Name: "a", Invalid: "null; leave it out instead"}},
		`{"a":true}`:                    {{Name: "a", Value: "true", Kind: server.Boolean}},
		`{"a":[[1]]}`:                   {{Name: "a", Invalid: "a list"}},
		`{"a":{"b":null}}`:              {{Name: "a", Invalid: "an object"}},
		`{"\u0061":"\ud83d\ude00\n"}`:   {{Name: "a", Value: "😀\n"}},
		`{"a":"\\ud83d"}`:               {{Name: "a", Value: `\ud83d`}},
		`{"a":"\ud83d"}`:                {{Name: "a", Value: "\xff"}},
		`{"a":"\ud83dx\ude00"}`:         {{Name: "a", Value: "\xff"}},
		`{"a":"\ude00\ud83d"}`:          {{Name: "a", Value: "\xff"}},
		`{"a":"\ufffd"}`:                {{Name: "a", Value: "\ufffd"}},
		`{"a":"` + strings.Repeat("é", maxArgument/2) + `"}`:      {{Name: "a", Value: strings.Repeat("é", maxArgument/2)}},
		`{"a":"` + strings.Repeat("x", maxArgument+1) + `"}`:      {{Name: "a", Invalid: "more than 8192 bytes"}},
		`{"a":"` + strings.Repeat(`\u0041`, maxArgument) + `"}`:   {{Name: "a", Invalid: "more than 8192 bytes"}},
		`{"a":"` + strings.Repeat(`\u0041`, maxArgument-1) + `"}`: {{Name: "a", Value: strings.Repeat("A", maxArgument-1)}},
	} {
		got, err := parseArguments(json.RawMessage(raw))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%.60s: got %.200v (%v), want %.200v", raw, got, err, want)
		}
	}
	for _, raw := range []string{`null`, `[]`, `"a"`, `5`, `true`, `{"a"`, `{"a":`, `{"a":1,`} {
		if got, err := parseArguments(json.RawMessage(raw)); err == nil {
			t.Errorf("%s: got %v, want an error", raw, got)
		}
	}
}

// Whatever an agent sends, what is taken of it is text that a query can carry,
// and means what was sent.
func FuzzParseArguments(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":"\ud83d\ude00"}`, `{"a":1.50,"b":null}`, `{"a":"\udead"}`, `[1]`, `{"a":{"b":[1]}}`, `{"a":"\\u"}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if !json.Valid([]byte(raw)) || !utf8.ValidString(raw) {
			return // no message gets this far
		}
		arguments, err := parseArguments(json.RawMessage(raw))
		var sent map[string]any
		if err != nil {
			if json.Unmarshal([]byte(raw), &sent) == nil && sent != nil {
				t.Fatalf("%q is an object, and refused: %v", raw, err)
			}
			return
		}
		for _, a := range arguments {
			if a.Invalid != "" || a.Value == "\xff" {
				continue
			}
			back, err := url.QueryUnescape(url.QueryEscape(a.Value))
			if err != nil || back != a.Value || !utf8.ValidString(a.Value) || len(a.Value) > maxArgument {
				t.Fatalf("%q: %q is no value of a query (%v)", raw, a.Value, err)
			}
		}
		last := map[string]server.Argument{}
		for _, a := range arguments {
			last[a.Name] = a
		}
		decoder := json.NewDecoder(strings.NewReader(raw))
		decoder.UseNumber()
		if err := decoder.Decode(&sent); err != nil {
			t.Fatalf("%q is taken, and no object: %v", raw, err)
		}
		for name, value := range sent {
			switch a := last[name]; value := value.(type) {
			case string:
				if a.Invalid == "" && a.Value != "\xff" && a.Value != value {
					t.Fatalf("%q: %q became %q", raw, value, a.Value)
				}
			case json.Number:
				if a.Invalid == "" && a.Value != value.String() {
					t.Fatalf("%q: %s became %q", raw, value, a.Value)
				}
			case bool:
				if a.Kind != server.Boolean || a.Value != strconv.FormatBool(value) {
					t.Fatalf("%q: %v became %q", raw, value, a.Value)
				}
			default:
				if a.Invalid == "" {
					t.Fatalf("%q: %v became %q", raw, value, a.Value)
				}
			}
		}
	})
}
