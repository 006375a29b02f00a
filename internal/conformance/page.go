package conformance

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/clientintel/clientintel/internal/verify"
)

// page is a response of a list route, decoded.
type page struct {
	*response
	decoded *verify.Response
	rows    []row
}

func (res *response) page() (*page, error) {
	decoded, err := res.decode()
	if err != nil {
		return nil, err
	}
	if decoded.List == nil {
		return nil, fmt.Errorf("%s answers no list", res)
	}
	// A frozen body is the client's own: an id in it is any text, any number of times.
	bodies := strings.Contains(res.path, "surface=portal")
	p := &page{response: res, decoded: decoded, rows: make([]row, len(decoded.List))}
	for i, raw := range decoded.List {
		if p.rows[i], err = decodeRow(raw); err != nil {
			return nil, fmt.Errorf("%s: %w", res, err)
		}
		if bodies {
			p.rows[i].id = ""
		}
	}
	return p, nil
}

// row is a row of a list, or an interview.
type row struct {
	fields map[string]json.RawMessage
	id     string // empty for portal bodies
	// content is all fields but measurement_integrity, which changes with the
	// time of reading.
	content string
}

func decodeRow(raw json.RawMessage) (row, error) {
	var decoded row
	if err := json.Unmarshal(raw, &decoded.fields); err != nil || decoded.fields == nil {
		return row{}, errors.New("a row is no JSON object")
	}
	_ = json.Unmarshal(decoded.fields["id"], &decoded.id)
	compared := maps.Clone(decoded.fields)
	delete(compared, "measurement_integrity")
	content, err := json.Marshal(compared) // sorted and compact
	decoded.content = string(content)
	return decoded, err
}

// String names a row in messages, which must not quote a body.
func (one row) String() string {
	return cmp.Or(one.id, "a row")
}

// key identifies the row among others in its place.
func (one row) key() string { return cmp.Or(one.id, one.content) }
