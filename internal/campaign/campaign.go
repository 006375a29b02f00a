package campaign

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/measurement"
	"github.com/clientintel/clientintel/internal/page"
	"github.com/clientintel/clientintel/internal/timewindow"
)

// Campaign is one campaign of a client. KeyQuestions is a JSON list of objects with
// id and question, empty when there are none.
type Campaign = db.Campaign

// ListQuery selects one page. A nil ID, LaunchStatus or UpdatedSince matches any
// value.
type ListQuery struct {
	ID           *uuid.UUID
	LaunchStatus *string
	UpdatedSince *time.Time // inclusive
	Created      timewindow.Window
	// Dated is set when the request bounds Created: then a campaign without a
	// time of creation does not match.
	Dated bool
	Page  page.Request
}

// List is one page and the provenance of its numbers.
type List struct {
	Campaigns   []Campaign
	Next        *page.Position
	Measurement measurement.Provenance
}

// positionOf spells a missing time of creation as the schema does, so that it sorts last.
func positionOf(r Campaign) page.Position {
	created := cmp.Or(r.CreatedAt, new(page.Missing()))
	return page.Position{Times: []time.Time{*created}, ID: r.ID}
}

// canonicalQuestions turns a list of plain strings, as old campaigns have it, into
// objects with id and question, the ids numbered q1, q2 and so on. It returns a
// list of objects unchanged to the byte, and an empty list for null.
func canonicalQuestions(stored json.RawMessage) (json.RawMessage, error) {
	if stored == nil || string(stored) == "null" {
		return json.RawMessage("[]"), nil
	}
	var questions []json.RawMessage
	if err := json.Unmarshal(stored, &questions); err != nil {
		return nil, err
	}
	legacy, list := false, []byte{'['}
	for i, q := range questions {
		if i > 0 {
			list = append(list, ',')
		}
		if !bytes.HasPrefix(q, []byte{'"'}) {
			list = append(list, q...)
			continue
		}
		legacy = true
		// The string stays as it was written: no escape of it changes.
		list = fmt.Appendf(list, `{"id":"q%d","question":%s}`, i+1, q)
	}
	if !legacy {
		return stored, nil
	}
	return append(list, ']'), nil
}
