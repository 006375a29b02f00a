package importer

import (
	"errors"
	"strings"
	"testing"
)

// A stream that was cut short, or sent twice, imports nothing.
func TestTheInputIsWholeOrNothing(t *testing.T) {
	t.Parallel()
	const lane = `{"kind":"lane","client_id":"` + acme + `","id":"55555555-0000-4000-8000-000000000001","slug":"l","visible":true}`
	two := client("") + "\n\n" + lane + "\n"
	expect := func(n int64) *int64 { return &n }
	for _, c := range []struct {
		name, file string
		expect     *int64
		// want is the error, empty when the file is imported.
		want string
	}{
		{"expected", two, expect(2), ""},
		{"expected, with a trailer", two + `{"kind":"end","lines":2}` + "\n \n", expect(2), ""},
		{"trailer alone", two + `{"lines":2,"kind":"end"}`, nil, ""},
		{"nothing, as expected", "", expect(0), ""},
		{"nothing, as the trailer says", `{"kind":"end","lines":0}`, nil, ""},
		{"short", client(""), expect(2), "nothing was imported: the input is not whole: 2 lines were expected, 1 were read"},
		{"long", two, expect(1), "nothing was imported: the input is not whole: 1 lines were expected, 2 were read"},
		{"empty", "", nil, "nothing was imported: the input is not whole: it is empty, and 0 lines were not expected"},
		{"blank", "\n \r\n", nil, "nothing was imported: the input is not whole: it is empty, and 0 lines were not expected"},
		{"shorter than the trailer says", client("") + "\n" + `{"kind":"end","lines":2}`, nil,
			"line 2: end.lines: must be the number of lines before it that are not blank, which is 1, not 2"},
		{"trailer holds, the number expected does not", two + `{"kind":"end","lines":2}`, expect(3), "nothing was imported: the input is not whole: 3 lines were expected, 2 were read"},
		{"trailer in the middle", client("") + "\n" + `{"kind":"end","lines":1}` + "\n" + lane, nil, "line 3: must not follow the trailer"},
		{"two trailers", `{"kind":"end","lines":0}` + "\n" + `{"kind":"end","lines":0}`, nil, "line 2: must not follow the trailer"},
		{"trailer without lines", `{"kind":"end"}`, nil, "line 1: end.lines: is missing: must be a whole number from 0 up"},
		{"lines is a string", `{"kind":"end","lines":"2"}`, nil, `line 1: end.lines: must be a whole number from 0 up, not "2"`},
		{"lines is negative", `{"kind":"end","lines":-1}`, nil, `line 1: end.lines: must be a whole number from 0 up, not -1`},
		{"lines twice", `{"kind":"end","lines":0,"lines":0}`, nil, `line 1: end.lines: is not valid JSON: duplicate object member name at byte 25`},
		{"trailer with another field", `{"kind":"end","count":2}`, nil, `line 1: end.count: is not a field of the trailer, which has lines`},
		{"trailer with op", `{"kind":"end","op":"write","lines":0}`, nil, `line 1: op: must be "delete" or left out, not "write"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := setup(t)
			_, err := Import(t.Context(), d.conn, Options{ExpectLines: c.expect}, Stream("the input", strings.NewReader(c.file)))
			switch {
			case c.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case c.want != "" && (err == nil || withoutRecord(err) != c.want):
				t.Errorf("got  %v\nwant %s", err, c.want)
			case c.want != "" && strings.HasPrefix(c.want, "nothing") != errors.Is(err, ErrIncomplete):
				t.Errorf("%v is an ErrIncomplete: %v", err, errors.Is(err, ErrIncomplete))
			}
			if left := len(d.dump(t)); (left > 0) != (c.want == "" && c.file != "" && !strings.HasPrefix(c.file, `{"kind":"end"`)) {
				t.Errorf("the database holds %d rows", left)
			}
		})
	}
}

// An operator sees up to twenty bad lines at once, each in its own words.
func TestUpTo20BadLinesAreReported(t *testing.T) {
	t.Parallel()
	file := client("") + "\n" + interview(`,"nps_score":"9"`) + "\n" + interview("") + "\n{\n" + campaign(`,"slug":""`)
	want := "line 2: interview.nps_score: must be a number or null, not \"9\"\n" +
		"line 4: is not valid JSON: unexpected EOF at byte 2\n" +
		"line 5: campaign.slug: must be a string of 1 to 200 characters, not \"\"\n" +
		"nothing was imported: 3 bad lines"
	d := setup(t)
	d.wantRefusal(t, want, file)

	err := parseOnly(strings.Repeat("7\n", 5000))
	told, _ := errors.AsType[LineErrors](err)
	if len(told) != 20 || told[19].Line != 20 {
		t.Fatalf("got %v, want the first 20 lines", err)
	}
	if !strings.HasSuffix(err.Error(), "line 20: must be a JSON object, not a number\nnothing was imported: the first 20 bad lines are told, there may be more") {
		t.Errorf("got %s", err)
	}

	// After a line that is too long, the reader does not know where lines begin.
	err = parseOnly("7\n" + strings.Repeat("x", maxLine+2) + "\n7\n")
	if want := "line 1: must be a JSON object, not a number\nline 2: " + lineTooLong + "\nnothing was imported: 2 bad lines"; err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}
