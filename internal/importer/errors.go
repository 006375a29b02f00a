package importer

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// location is where a line is; no line of a record that the input lacks.
type location struct {
	// File is the line's, empty in an import of one.
	File string `json:"file,omitempty"`
	Line int64  `json:"line"`
	// isRow is set where it is the row of a query.
	isRow bool
}

func (l location) String() string {
	text := fmt.Sprintf("line %d", l.Line)
	if l.isRow {
		text = fmt.Sprintf("row %d", l.Line)
	}
	if l.File != "" {
		text = l.File + ": " + text
	}
	return text
}

// identity says which record a line is about, as far as that is known.
type identity struct {
	Kind     string `json:"kind,omitempty"`
	ClientID string `json:"client_id,omitempty"`
	ID       string `json:"id,omitempty"`
}

func (i identity) String() string {
	var text string
	if i.ID != "" {
		text = " " + i.ID
	}
	if i.ClientID != "" && i.Kind != clientKind.name {
		text += " of client " + i.ClientID
	}
	if text != "" {
		text = i.Kind + text + ": "
	}
	return text
}

// LineError is a line that cannot be imported. Nothing of its file was.
type LineError struct {
	location
	identity
	// Field is the path of the invalid field, such as interview.nps_score; empty for the
	// whole line.
	Field string `json:"field,omitempty"`
	// Reason says what is wrong and what is accepted.
	Reason string `json:"reason"`
}

func (e *LineError) Error() string {
	text := e.identity.String()
	if e.Line > 0 {
		text += e.location.String() + ": "
	}
	if e.Field != "" {
		text += e.Field + ": "
	}
	return text + e.Reason
}

// maxLineErrors bounds how many bad lines are reported.
const maxLineErrors = 20

// LineErrors are lines that cannot be imported, of which maxLineErrors are told. Nothing of
// their file was.
type LineErrors []*LineError

func (e LineErrors) Error() string {
	if len(e) == 1 {
		return e[0].Error()
	}
	var all strings.Builder
	for _, one := range e[:min(len(e), maxLineErrors)] {
		all.WriteString(one.Error() + "\n")
	}
	if len(e) >= maxLineErrors {
		fmt.Fprintf(&all, "nothing was imported: the first %d bad lines are told, there may be more", maxLineErrors)
	} else {
		fmt.Fprintf(&all, "nothing was imported: %d bad lines", len(e))
	}
	return all.String()
}

// describe shows a value in an error: short ones as they are in the line.
func describe(v jsontext.Value) string {
	switch v.Kind() {
	case '[', '{':
		return typeNames[v.Kind()]
	case '"':
		return `"` + shorten(unquoted(v)) + `"`
	default:
		return shorten(string(v))
	}
}

// typeNames are the types of values in words.
var typeNames = map[jsontext.Kind]string{
	'n': "null", 't': "a boolean", 'f': "a boolean", '0': "a number", '"': "a string", '[': "a list", '{': "an object",
}

// shorten bounds an excerpt and escapes what a terminal would interpret.
func shorten(text string) string {
	const most = 40
	quoted := fmt.Sprintf("%.*q", most, text)
	short := quoted[1 : len(quoted)-1]
	if utf8.RuneCountInString(text) > most {
		short += "…"
	}
	return short
}

// explain words a problem with a column's value.
func (c column) explain(p *problem) string {
	if p.requirement != "" {
		return p.requirement
	}
	says := cmp.Or(p.accepted, c.typ.description)
	if c.presence == nullable && (p.accepted == "" || p.path == "") {
		says += " or null"
	}
	if c.typ.private {
		return "must be " + says + ", not " + typeNames[p.got.Kind()]
	}
	return "must be " + says + ", not " + describe(p.got)
}
