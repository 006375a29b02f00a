package importer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
)

func sourcesOf(in ...io.Reader) []Source {
	var sources []Source
	for n, one := range in {
		sources = append(sources, Stream(fmt.Sprintf("file %d", n+1), one))
	}
	return sources
}

func linesOf(in ...io.Reader) *lineReader {
	return newLineReader(context.Background(), sourcesOf(in...), false)
}

// Lines are the same however the stream is cut, also across the buffer's end.
func TestLinesAreWholeHoweverTheyArrive(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 300<<10)
	want := []string{"first", "", "\r", long, "é", strings.Repeat(long, 4), "last"}
	file := "\xef\xbb\xbf" + strings.Join(want, "\n")
	for name, in := range map[string]io.Reader{
		"whole":       strings.NewReader(file),
		"in halves":   iotest.HalfReader(strings.NewReader(file)),
		"with EOF":    iotest.DataErrReader(strings.NewReader(file)),
		"newline too": strings.NewReader(file + "\n"),
	} {
		r := linesOf(in)
		var got []string
		for {
			line, err := r.next()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err, name)
			got = append(got, string(line))
		}
		check.Slices(t, got, want, name)
		if r.lines != int64(len(want)) || r.bytes < int64(len(file)) {
			t.Errorf("%s: counted %d lines and %d bytes", name, r.lines, r.bytes)
		}
	}
}
