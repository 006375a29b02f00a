package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// The budget keeps a result within about 48 KiB, which are about 12 thousand tokens; some
// hosts cut at 25 thousand. What is beside a page takes up to 6 KiB.
const (
	// maxPage is the size of a page's rows, in bytes. The first one may be larger.
	maxPage = 42 << 10
	// maxEntries is how many ids of a basis, rows and days are given unasked.
	maxEntries = 100
)

type object = map[string]any

// answer is a response of REST, and the result made of it.
type answer struct {
	Data any    `json:"data"`
	Meta object `json:"meta"`
	// Hints are what a tool tells beside REST's response.
	Hints []string `json:"hints,omitempty"`
}

func readAnswer(body []byte) (*answer, error) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber() // a float would lose digits
	a := new(answer)
	if err := decoder.Decode(a); err != nil {
		return nil, fmt.Errorf("reading a response: %w", err)
	}
	return a, nil
}

// rowsThatFit returns with how many of its rows a page is within the budget, and whether
// it has more.
func (a *answer) rowsThatFit() (fit int, hasMore bool) {
	rows, _ := a.Data.([]any)
	if _, isPage := a.Meta["has_more"]; !isPage { // a search has none
		return len(rows), false
	}
	size := 0
	for i, row := range rows {
		if size += len(encode(row)) + len(","); i > 0 && size > maxPage {
			return i, true
		}
	}
	return len(rows), false
}

// leaveOut takes out what costs more than it tells, unless the arguments ask for it.
func (a *answer) leaveOut(flags map[string]bool) {
	if !flags["include_basis"] {
		if isLong(a.Meta["measurement_basis"]) {
			delete(a.Meta, "measurement_basis")
			a.Meta["measurement_omitted_fields"] = []string{"measurement_basis"}
		}
		rows, _ := a.Data.([]any)
		for _, row := range rows {
			body, _ := row.(object)
			integrity, _ := body["measurement_integrity"].(object)
			if isLong(integrity["measurement_basis"]) { // what it proves stays
				delete(integrity, "measurement_basis")
			}
		}
	}
	if data, ok := a.Data.(object); ok {
		a.shortenAnalytics(data, flags["include_rows"])
	}
}

// shortenAnalytics leaves out the rows, of which the operation gave none if there are too
// many, and the days without interviews of a long window.
func (a *answer) shortenAnalytics(data object, withRows bool) {
	if rows, _ := data["rows"].([]any); len(rows) == 0 && !a.isEmpty() && !withRows {
		delete(data, "rows")
	}
	days, _ := data["volume"].([]any)
	if len(days) <= maxEntries {
		return
	}
	kept := slices.DeleteFunc(slices.Clone(days), func(day any) bool {
		point, _ := day.(object)
		return point["value"] == json.Number("0")
	})
	data["volume"] = kept
	a.Hints = append(a.Hints, fmt.Sprintf("volume leaves out %d of %d days: those without interviews.", len(days)-len(kept), len(days)))
}

func (a *answer) isEmpty() bool { return a.Meta["count"] == json.Number("0") }

// isLong reports whether a basis, if it is one, lists too many ids.
func isLong(basis any) bool {
	b, _ := basis.(object)
	ids, _ := b["source_interview_ids"].([]any)
	return len(ids) > maxEntries
}
