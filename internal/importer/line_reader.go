package importer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxLine bounds a line, and with it the memory of an import. No JSON of this
// size can become a jsonb that PostgreSQL finds too large.
const maxLine = 16 << 20

// lineReader cuts streams, one after the other, into lines without copying them.
// No line goes on in the next stream.
type lineReader struct {
	files      *files
	in         io.ReadCloser
	buf        []byte
	start, end int
	lines      int64
	bytes      int64
	// first says that the stream's next line is its first.
	first bool
	// done says that the stream has ended.
	done bool
}

func newLineReader(f *files) *lineReader {
	return &lineReader{files: f, buf: make([]byte, 256<<10), done: true}
}

// next is the next line without its end, valid until the call after; io.EOF
// ends the last stream. A byte order mark at the start of a stream is skipped.
func (r *lineReader) next() ([]byte, error) {
	seen := r.start
	for {
		if n := bytes.IndexByte(r.buf[seen:r.end], '\n'); n >= 0 {
			return r.take(seen+n, 1)
		}
		if r.done {
			if r.start < r.end {
				return r.take(r.end, 0)
			}
			if err := r.open(); err != nil {
				return nil, err
			}
			seen = r.start
			continue
		}
		if r.end-r.start > maxLine {
			return r.take(r.end, 0)
		}
		unseen := r.end - r.start
		if err := r.fill(); err != nil {
			at := &LineError{}
			at.File, at.Line = r.files.place(r.lines + 1)
			return nil, fmt.Errorf("nothing was imported: reading %s: %w", at.where(), err)
		}
		seen = r.start + unseen
	}
}

func (r *lineReader) take(end, newline int) ([]byte, error) {
	line := r.buf[r.start:end]
	r.lines++
	r.bytes += int64(end + newline - r.start)
	r.start = end + newline
	if len(line) > maxLine {
		return nil, &LineError{Line: r.lines, Reason: fmt.Sprintf("must not be longer than %d MiB", maxLine>>20)}
	}
	if r.first {
		r.first = false
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	return line, nil
}

// open goes on with the next stream; io.EOF says that there is none.
func (r *lineReader) open() error {
	r.close()
	in, err := r.files.open(r.lines)
	if err != nil {
		return err
	}
	r.in, r.start, r.end, r.first, r.done = in, 0, 0, true, false
	return nil
}

func (r *lineReader) close() {
	if r.in != nil {
		_ = r.in.Close()
		r.in = nil
	}
}

// fill reads more behind what is unread, moving or growing the buffer for it.
func (r *lineReader) fill() error {
	if r.start > 0 {
		r.end = copy(r.buf, r.buf[r.start:r.end])
		r.start = 0
	}
	if r.end == len(r.buf) {
		grown := make([]byte, min(2*len(r.buf), maxLine+2))
		r.end = copy(grown, r.buf[:r.end])
		r.buf = grown
	}
	for range 100 {
		n, err := r.in.Read(r.buf[r.end:])
		r.end += n
		switch {
		case errors.Is(err, io.EOF):
			r.done = true
			return nil
		case err != nil:
			return err
		case n > 0:
			return nil
		}
	}
	return io.ErrNoProgress
}
