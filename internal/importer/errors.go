package importer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/clientintel/clientintel/internal/postgres"
)

// location is where a line is; no line of a record that the input lacks.
type location struct {
	// File is the line's, empty in an import of one.
	File string `json:"file,omitempty"`
	Line int64  `json:"line"`
}

func (l location) String() string {
	if l.File == "" {
		return fmt.Sprintf("line %d", l.Line)
	}
	return fmt.Sprintf("%s: line %d", l.File, l.Line)
}

// identity says which record a line is about, as far as that is known.
type identity struct {
	Kind     string `json:"kind,omitempty"`
	ClientID string `json:"client_id,omitempty"`
	ID       string `json:"id,omitempty"`
}

func (i identity) String() string {
	switch {
	case i.ID == "":
		return ""
	case i.ClientID == "" || i.Kind == clientKind.name:
		return fmt.Sprintf(" (%s %s)", i.Kind, i.ID)
	}
	return fmt.Sprintf(" (%s %s of client %s)", i.Kind, i.ID, i.ClientID)
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
	var text strings.Builder
	if e.Line > 0 {
		text.WriteString(e.location.String() + ": ")
	}
	if e.Field != "" {
		text.WriteString(e.Field + ": ")
	}
	return text.String() + e.Reason + e.identity.String()
}

// maxLineErrors bounds how many bad lines are reported.
const maxLineErrors = 20

// LineErrors are the first lines that cannot be imported, up to maxLineErrors. Nothing of
// their file was.
type LineErrors []*LineError

func (e LineErrors) Error() string {
	if len(e) == 1 {
		return e[0].Error()
	}
	var all strings.Builder
	for _, one := range e {
		all.WriteString(one.Error() + "\n")
	}
	if len(e) == maxLineErrors {
		fmt.Fprintf(&all, "nothing was imported: the first %d bad lines are told, there may be more", len(e))
	} else {
		fmt.Fprintf(&all, "nothing was imported: %d bad lines", len(e))
	}
	return all.String()
}

// Unwrap makes the first line found by errors.As.
func (e LineErrors) Unwrap() []error {
	all := make([]error, len(e))
	for i, one := range e {
		all[i] = one
	}
	return all
}

// ErrConflict is wrapped by the error of an import that met another writer of
// the same records. Running it again may succeed.
var ErrConflict = errors.New("another writer changed the same records at the same time: run the import again")

// databaseError explains an error of a query. The error of a commit is
// commitError.
func databaseError(ctx context.Context, doing string, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fmt.Errorf("nothing was imported: interrupted: %w", context.Cause(ctx))
	}
	if slices.Contains(conflicts, postgres.SQLState(err)) {
		err = fmt.Errorf("%w (%w)", ErrConflict, err)
	}
	return fmt.Errorf("nothing was imported: %s: %w", doing, err)
}

// conflicts are deadlocks, and constraints: whatever a file can break by itself was
// checked before.
var conflicts = []string{"40P01", "40001", "23503", "23505"}

// commitError explains an error of a commit, whose response may have been lost.
func commitError(err error) error {
	if postgres.SQLState(err) != "" {
		return databaseError(context.Background(), "committing", err)
	}
	return fmt.Errorf("it is not known whether the import was committed, run it again: %w", err)
}

// describe shows a value in an error: short ones as they are in the line.
func describe(v jsontext.Value) string {
	switch kindOf(v) {
	case '[', '{':
		return inWords(v)
	case '"':
		return `"` + shorten(string(v[1:len(v)-1])) + `"`
	default:
		return shorten(string(v))
	}
}

// inWords is the type of a value.
func inWords(v jsontext.Value) string {
	switch kindOf(v) {
	case 'n':
		return "null"
	case 't':
		return "a boolean"
	case '0':
		return "a number"
	case '"':
		return "a string"
	case '[':
		return "a list"
	default:
		return "an object"
	}
}

// shorten bounds an excerpt and replaces what a terminal would interpret.
func shorten(text string) string {
	const most = 40
	cut := len(text)
	if cut > most {
		for cut = most; cut > 0 && !utf8.RuneStart(text[cut]); cut-- {
		}
	}
	short := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return utf8.RuneError
		}
		return r
	}, text[:cut])
	if cut < len(text) {
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
	if c.redacted {
		return "must be " + says + ", not " + inWords(p.got)
	}
	return "must be " + says + ", not " + describe(p.got)
}
