package importer

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

// scanned runs the scanner over a text that should be one value.
func scanned(text []byte) (value, bool) {
	s := jsonScanner{text: text}
	s.skip()
	v := s.scan()
	return v, s.checkJSON() == ""
}

var jsonTexts = []string{
	`{}`, `[]`, `""`, `0`, `-0`, `1.5e+10`, `1E-3`, `true`, `false`, `null`, ` [ 1 , { "a" : [ ] } ] `, `{"a":{"b":[1,2,{"c":null}]}}`,
	`"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00"`, `{"a":1,"a":2}`, "\"\u2028\"", `"caf` + "\xc3\xa9" + `"`,
	``, ` `, `{`, `[`, `"`, `{"a"}`, `{"a":}`, `{,}`, `[,]`, `[1,]`, `{"a":1,}`, `01`, `1.`, `.5`, `1e`, `-`, `+1`, `tru`, `nul`, `nulll`, `"\`, `"\u`, `"\u00g0"`,
	`"\x"`, "\"\x01\"", "\"\x7f\"", `1 2`, `{}{}`, `'a'`, `{"a":1 "b":2}`, `[1 2]`, `"\ud83d"`, `"\ude00"`, `"\ud83d\u0041"`, `"\u0000"`, `"\ud83d\ud83d\ude00"`, `"\ud83d\\de00"`, `"\ud83d\nude00"`,
	"\ufeff{}", "\xef\xbb\xbf1", `1e999`, `1e131071`, `1e131072`, `1e-16384`, "\"\xff\"", "\"\xed\xa0\x80\"", `[[[[[[[[]]]]]]]]`,
	`,1`, `{:}`, `[1:2]`, `{"a",1}`, `{"a" 1}`, `{1:2}`, `{]`, `[}`, `{"a":1]`, `[[1}]`, `1 ,`, `trueX`, `1e5.`, `--1`,
}

func TestScannerAgreesWithEncodingJSON(t *testing.T) {
	t.Parallel()
	for _, text := range jsonTexts {
		agree(t, []byte(text))
	}
	deep := strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth)
	agree(t, []byte(deep))
	if _, ok := scanned([]byte("[" + deep + "]")); ok {
		t.Errorf("%d levels were accepted", maxDepth+1)
	}
}

// agree compares the scanner with the standard library, which knows neither
// depths so small nor flaws.
func agree(t *testing.T, text []byte) {
	t.Helper()
	v, ok := scanned(text)
	if !ok {
		if json.Valid(text) && !tooDeep(text) {
			t.Errorf("%q is JSON and was refused", text)
		}
		return
	}
	if !json.Valid(text) {
		t.Errorf("%q is no JSON and was accepted", text)
		return
	}
	if v.typ != jsonString || v.unstorable != "" || !utf8.Valid(text) {
		return
	}
	var want string
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	if got := string(unescaped(v)); got != want {
		t.Errorf("%q reads %q, want %q", text, got, want)
	}
	// The standard library reads half of a surrogate pair as U+FFFD.
	if inText := bytes.Count(text, []byte("\ufffd")) + bytes.Count(bytes.ToLower(text), []byte(`\ufffd`)); strings.Count(want, "\ufffd") > inText {
		t.Errorf("%q holds half of a surrogate pair and was accepted", text)
	}
}

// What the scanner accepts without a flaw, PostgreSQL takes as jsonb.
func TestPostgreSQLTakesWhatTheScannerAccepts(t *testing.T) {
	t.Parallel()
	d := setup(t)
	texts := append([]string{strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth), `-1.5e-398`, `9.99e399`, `1e+0399`, `0e0`, `0e400`,
		strings.Repeat("9", maxDigits), "0." + strings.Repeat("9", maxDigits-1), "0." + strings.Repeat("9", maxDigits)}, jsonTexts...)
	taken := 0
	for _, text := range texts {
		v, ok := scanned([]byte(text))
		if !ok || v.unstorable != "" || !utf8.ValidString(text) {
			continue
		}
		taken++
		var stored string
		if err := d.conn.QueryRow(t.Context(), "SELECT $1::text::jsonb::text", text).Scan(&stored); err != nil {
			t.Errorf("%.100q: %v", text, err)
		}
		if digits := strings.TrimLeft(strings.Replace(stored, ".", "", 1), "-"); v.typ == jsonNumber && len(digits) > maxDigits {
			t.Errorf("%.100q is stored with %d digits, want %d at most", text, len(digits), maxDigits)
		}
	}
	if taken < 25 {
		t.Errorf("only %d texts were accepted", taken)
	}
}

func tooDeep(text []byte) bool {
	depth, most := 0, 0
	decoder := json.NewDecoder(bytes.NewReader(text))
	for {
		token, err := decoder.Token()
		if err != nil {
			return most > maxDepth
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
			most = max(most, depth)
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
	}
}

func FuzzScanner(f *testing.F) {
	for _, text := range jsonTexts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) { agree(t, text) })
}

// A line never panics, what is accepted is a JSON object of whole UTF-8, and
// what is refused says in which line.
func FuzzLine(f *testing.F) {
	for _, line := range []string{
		interview(`,"transcript":[{"a":"\ud83d\ude00"}],"nps_score":9.50,"best_quote":"\u00e9"`), campaign(`,"slug":"x","key_questions":[{"id":"a","question":"b"}]`),
		portal(`,"body":{"schema":"home.v1","measurement_integrit":1},"feed_date":"2026-03-01"`), snapshot(""), client(`,"measurement_mode":"legacy"`),
		`{"op":"delete","kind":"campaign","client_id":"` + acme + `","id":"` + acme + `"}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		err := parseOnly(string(line))
		if err != nil {
			if errors.Is(err, ErrIncomplete) {
				return
			}
			var refused *LineError
			if !errors.As(err, &refused) || refused.Line < 1 || refused.Reason == "" || !utf8.ValidString(err.Error()) {
				t.Errorf("%q names no line, or not in UTF-8", err.Error())
			}
			return
		}
		for text := range bytes.Lines(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))) {
			text = bytes.TrimSpace(text)
			if len(text) > 0 && (!json.Valid(text) || !utf8.Valid(text) || text[0] != '{') {
				t.Errorf("%q was accepted", text)
			}
		}
	})
}
