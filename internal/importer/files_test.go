package importer

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/clientintel/clientintel/internal/test/require"
)

func gzipped(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := io.WriteString(w, text); err != nil || w.Close() != nil {
		t.Fatal("compressing")
	}
	return out.String()
}

func zstandard(t *testing.T, text string) string {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	return string(w.EncodeAll([]byte(text), nil))
}

func (d *database) importFiles(t *testing.T, o Options, files ...string) (Summary, error) {
	t.Helper()
	var sources []Source
	for n, text := range files {
		sources = append(sources, Stream(string(rune('a'+n))+".ndjson", strings.NewReader(text)))
	}
	return Import(t.Context(), d.conn, o, sources...)
}

// Each file has lines of its own: a last one without a line feed, a byte order
// mark, a compression. References may lead from one to another.
func TestSeveralFilesAreOneImport(t *testing.T) {
	t.Parallel()
	d := setup(t)
	sum, err := d.importFiles(t, Options{}, gzipped(t, interview(ofCampaign)), "\xef\xbb\xbf"+client("")+"\r\n\n", "",
		zstandard(t, onboardingLine("")+"\n")+"", "\n"+`{"kind":"end","lines":3}`)
	require.NoError(t, err)
	if sum.Lines != 3 || len(sum.Kinds) != 3 {
		t.Errorf("got %+v", sum)
	}
	d.want(t, "count(*)", "interviews", "1")
	two := int64(2)
	for _, c := range []struct {
		files  []string
		expect *int64
		want   string
	}{
		{[]string{client("") + "\n\n", "\n" + interview(`,"nps_score":"9"`)}, nil, `b.ndjson: line 2: interview.nps_score: must be a number or null, not "9"`},
		{[]string{interview(`,"nps_score":"9"`), "", client(""), "x"}, nil,
			`a.ndjson: line 1: interview.nps_score: must be a number or null, not "9"` + "\n" + "d.ndjson: line 1: is not valid JSON: invalid character 'x' at start of value at byte 1\nnothing was imported: 2 bad lines"},
		// Found at the end, of all files together.
		{[]string{client(""), campaign(`,"slug":"onboarding"`) + "\n" + strings.Replace(interview(ofCampaign), onboarding, synthesis, 1)}, nil,
			"b.ndjson: line 2: interview.conversation_goal_id: client " + acme + " has no campaign " + synthesis},
		{[]string{client(""), interview(""), interview("")}, &two, "nothing was imported: the input is not whole: 2 lines were expected, 3 were read"},
		{[]string{client("") + "\n" + `{"kind":"end","lines":1}`, "\n\n" + interview("")}, nil, "b.ndjson: line 3: must not follow the trailer"},
		{[]string{client(""), gzipped(t, interview(""))[:30]}, nil, "nothing was imported: reading b.ndjson: line 1: unexpected EOF"},
		{[]string{client(""), "\x1f\x8bxx"}, nil, "nothing was imported: reading b.ndjson: unexpected EOF"},
	} {
		before := d.dump(t)
		_, err := d.importFiles(t, Options{ExpectLines: c.expect}, c.files...)
		if err == nil || withoutRecord(err) != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
		d.wantSame(t, before)
	}
}

// What their own tools read is read: members one after the other, zeros behind them, as
// backup programs leave them, and frames that are skipped, with which pzstd begins.
func TestCompressedFilesAreReadAsTheirToolsReadThem(t *testing.T) {
	t.Parallel()
	const skippable = "\x5a\x2a\x4d\x18\x04\x00\x00\x00\x00\x00\x00\x00"
	zeros := strings.Repeat("\x00", 512)
	whole, rest := client("")+"\n", interview("")+"\n"
	for name, c := range map[string]struct{ file, want string }{
		"gzip, two members":            {gzipped(t, whole) + gzipped(t, rest), ""},
		"gzip, zeros":                  {gzipped(t, whole) + zeros, ""},
		"gzip, zeros between members":  {gzipped(t, whole) + zeros + gzipped(t, rest) + zeros, ""},
		"gzip, something else":         {gzipped(t, whole) + zeros + "x", "reading line 2: unexpected EOF"},
		"gzip, cut off":                {gzipped(t, whole)[:40], "reading line 1: unexpected EOF"},
		"zstd, two frames":             {zstandard(t, whole) + zstandard(t, rest), ""},
		"zstd, skippable frames first": {skippable + skippable + zstandard(t, whole), ""},
		"zstd, cut off":                {zstandard(t, whole)[:20], "reading line 1: unexpected EOF"},
	} {
		if err := parseOnly(c.file); (err == nil) != (c.want == "") || err != nil && err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
}
