package verify

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// maxValue bounds one response.
const maxValue = 1 << 30

// values splits a stream into JSON values: concatenated, one a line, or the
// elements of arrays. It holds one value at a time.
type values struct {
	in      *bufio.Reader
	line    int
	inArray bool
	value   []byte
}

func newValues(in io.Reader) *values { return &values{in: bufio.NewReaderSize(in, 64<<10), line: 1} }

var errNoObject = errors.New("expected a JSON object")

// next returns a value and the line it begins on; io.EOF after the last.
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
			err := v.object()
			return v.value, at, err
		default:
			return nil, v.line, errNoObject
		}
	}
}

// object reads to the brace that closes the one just read. It does not check what
// is between them.
func (v *values) object() error {
	v.value = append(v.value[:0], '{')
	depth, quoted, escaped := 1, false, false
	for depth > 0 {
		c, err := v.in.ReadByte()
		if err == io.EOF {
			return errors.New("the response is cut off")
		}
		if err != nil {
			return err
		}
		if len(v.value) == maxValue {
			return fmt.Errorf("the response is larger than %d MB", maxValue>>20)
		}
		v.value = append(v.value, c)
		switch {
		case c == '\n':
			v.line++
		case escaped:
			escaped = false
		case quoted:
			escaped, quoted = c == '\\', c != '"'
		case c == '"':
			quoted = true
		case c == '{':
			depth++
		case c == '}':
			depth--
		}
	}
	return nil
}
