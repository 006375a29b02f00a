package verify

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxValue bounds one response.
const maxValue = 1 << 30

// values splits a stream into JSON objects: concatenated, one a line, or the
// elements of arrays. It holds one object at a time.
type values struct {
	in      *bufio.Reader
	line    int
	inArray bool
	size    int // of the object, as far as it was read
}

func newValues(in io.Reader) *values { return &values{in: bufio.NewReaderSize(in, 64<<10), line: 1} }

var errNoObject = errors.New("expected a JSON object")

// next returns an object and the line it begins on; io.EOF after the last.
func (v *values) next() ([]byte, int, error) {
	for {
		c, err := v.in.ReadByte()
		if err == io.EOF && v.inArray {
			return nil, v.line, errors.New("the array is cut off")
		}
		if err != nil {
			return nil, v.line, err
		}
		switch {
		case c == '\n':
			v.line++
		case c == ' ' || c == '\t' || c == '\r' || c == ',' && v.inArray:
		case c == 0xEF: // a byte order mark, which some tools write
			if _, err := v.in.Discard(2); err != nil {
				return nil, v.line, errNoObject
			}
		case c == '[' && !v.inArray:
			v.inArray = true
		case c == ']' && v.inArray:
			v.inArray = false
		case c == '{':
			at := v.line
			_ = v.in.UnreadByte() // it was read
			v.size = 0
			var object json.RawMessage
			err := json.NewDecoder(v).Decode(&object)
			if errors.Is(err, io.ErrUnexpectedEOF) {
				err = errors.New("the response is cut off")
			}
			return object, at, unreadable(err)
		default:
			return nil, v.line, errNoObject
		}
	}
}

// Read reads up to the next closing brace, so that the decoder reads no further than to
// the object's end.
func (v *values) Read(p []byte) (int, error) {
	if _, err := v.in.Peek(1); err != nil {
		return 0, err
	}
	part, _ := v.in.Peek(min(len(p), v.in.Buffered())) // it is buffered
	if end := bytes.IndexByte(part, '}'); end >= 0 {
		part = part[:end+1]
	}
	v.line += bytes.Count(part, []byte{'\n'})
	if v.size += len(part); v.size > maxValue {
		return 0, fmt.Errorf("the response is larger than %d MB", maxValue>>20)
	}
	return v.in.Discard(copy(p, part))
}
