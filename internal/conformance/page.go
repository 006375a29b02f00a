package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"

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
	p := &page{response: res, decoded: decoded, rows: make([]row, len(decoded.List))}
	for i, raw := range decoded.List {
		if p.rows[i], err = decodeRow(raw); err != nil {
			return nil, fmt.Errorf("%s: %w", res, err)
		}
	}
	return p, nil
}

// row is a row of a list, or an interview.
type row struct {
	fields map[string]json.RawMessage
	id     string // portal bodies may have none
	// nth tells rows of a list apart that have no id and the same content.
	nth int
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

// rowTimes are the date-times of rows; what stands inside a document is the client's own.
var rowTimes = []string{"created_at", "updated_at", "launched_at", "last_refreshed"}

var sixDigits = regexp.MustCompile(`^"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z"$`)

// checkTimes holds that texts of date-times sort as the moments do.
func (one row) checkTimes() error {
	for _, name := range rowTimes {
		if at, there := one.fields[name]; there && string(at) != "null" && !sixDigits.Match(at) {
			return fmt.Errorf("%s of %s is %s, not a time with six digits of a second and Z", name, one.id, at)
		}
	}
	return nil
}

// key identifies a row in its list.
func (one row) key() string {
	if one.id != "" {
		return one.id
	}
	return fmt.Sprintf("%d %s", one.nth, one.content)
}
