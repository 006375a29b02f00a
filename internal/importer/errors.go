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

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/clientintel/clientintel/internal/postgres"
)

// LineError is a line that cannot be imported. Nothing of its file was.
type LineError struct {
	// File is the line's, empty in an import of one.
	File string `json:"file,omitempty"`
	Line int64  `json:"line"`
	// Field is the path of the invalid field, such as interview.nps_score; empty for the
	// whole line.
	Field string `json:"field,omitempty"`
	// Reason says what is wrong and what is accepted.
	Reason string `json:"reason"`
}

func (e *LineError) Error() string {
	where := inFile(e.File, fmt.Sprintf("line %d", e.Line))
	if e.Field == "" {
		return where + ": " + e.Reason
	}
	return where + ": " + e.Field + ": " + e.Reason
}

// inFile puts a file's name before lines, none in an import of one file.
func inFile(file, lines string) string {
	if file == "" {
		return lines
	}
	return file + ": " + lines
}

// maxLineErrors bounds how many bad lines are reported.
const maxLineErrors = 20

// LineErrors are the first lines that cannot be imported, two to maxLineErrors.
// Nothing of their file was.
type LineErrors []*LineError

func (e LineErrors) Error() string {
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
		return interrupted(ctx)
	}
	if slices.Contains(conflicts, postgres.SQLState(err)) && !isDuplicate(err) {
		err = fmt.Errorf("%w (%w)", ErrConflict, err)
	}
	return fmt.Errorf("nothing was imported: %s: %w", doing, err)
}

// conflicts are deadlocks, and constraints: whatever a file can break by itself was
// checked before.
var conflicts = []string{"40P01", "40001", "23503", "23505"}

// isDuplicate recognises a record that exists but has no row in record_owners:
// it was written by hand. Of a shard's, Citus hands on the message alone.
func isDuplicate(err error) bool {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (refused.Code == "23505" && strings.HasSuffix(refused.ConstraintName, "_pkey") ||
		refused.Code == "XX000" && strings.Contains(refused.Message, "_pkey_"))
}

// commitError explains an error of a commit, whose response may have been lost.
func commitError(err error) error {
	if postgres.SQLState(err) != "" {
		return databaseError(context.Background(), "committing", err)
	}
	return fmt.Errorf("it is not known whether the import was committed, run it again: %w", err)
}

func interrupted(ctx context.Context) error {
	return fmt.Errorf("nothing was imported: interrupted: %w", context.Cause(ctx))
}

// describe shows a value in an error: short ones as they are in the line.
func describe(v value) string {
	switch v.typ {
	case jsonArray, jsonObject:
		return v.typ.String()
	case jsonString:
		return `"` + shorten(v.text) + `"`
	default:
		return shorten(v.text)
	}
}

// String is the type in words.
func (s jsonType) String() string {
	return [...]string{"nothing", "null", "a boolean", "a number", "a string", "a list", "an object"}[s]
}

// shorten bounds an excerpt and replaces what a terminal would interpret.
func shorten(text []byte) string {
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
	}, string(text[:cut]))
	if cut < len(text) {
		short += "…"
	}
	return short
}

// path is the path of a field of this kind.
func (k *kind) path(field []byte) string {
	return k.name + "." + cmp.Or(shorten(field), `""`)
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
		return "must be " + says + ", not " + p.got.typ.String()
	}
	return "must be " + says + ", not " + describe(p.got)
}
