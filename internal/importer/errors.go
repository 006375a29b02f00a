package importer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgconn"
)

// LineError is a line that cannot be imported. Nothing of its file was.
type LineError struct {
	Line int64
	// Field is the way to the culprit, such as interview.nps_score; empty when
	// it is the line as a whole.
	Field string
	// Reason says what is wrong and what is accepted.
	Reason string
}

func (e *LineError) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("line %d: %s", e.Line, e.Reason)
	}
	return fmt.Sprintf("line %d: %s: %s", e.Line, e.Field, e.Reason)
}

// ErrConflict is wrapped by the error of an import that met another writer of
// the same records. Running it again may succeed.
var ErrConflict = errors.New("another writer changed the same records at the same time: run the import again")

// databaseError says what an error of the database means for the import. It
// must be the error of a statement, not of a commit.
func databaseError(ctx context.Context, doing string, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return interrupted(ctx)
	}
	var refused *pgconn.PgError
	if errors.As(err, &refused) && isConflict(refused) && !isDuplicate(err) {
		err = fmt.Errorf("%w (%w)", ErrConflict, err)
	}
	return fmt.Errorf("nothing was imported: %s: %w", doing, err)
}

// isConflict recognises deadlocks, and constraints: whatever a file can break by
// itself was checked before.
func isConflict(refused *pgconn.PgError) bool {
	return slices.Contains([]string{"40P01", "40001", "23503", "23505"}, refused.Code)
}

// isDuplicate recognises a record that exists and stands in no register of ids:
// somebody wrote it by hand.
func isDuplicate(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && refused.Code == "23505" && strings.HasSuffix(refused.ConstraintName, "_pkey")
}

// commitError is about a commit, whose answer may have been lost.
func commitError(err error) error {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return databaseError(context.Background(), "committing", err)
	}
	return fmt.Errorf("it is not known whether the import was committed, run it again: %w", err)
}

func interrupted(ctx context.Context) error {
	return fmt.Errorf("nothing was imported: interrupted: %w", context.Cause(ctx))
}

// describe shows a value in an error: short ones as they stand in the line.
func describe(v value) string {
	switch v.shape {
	case isList, isObject:
		return v.shape.String()
	case isString:
		return `"` + shorten(v.text) + `"`
	default:
		return shorten(v.text)
	}
}

// String is a shape in words.
func (s shape) String() string {
	return [...]string{"nothing", "null", "a boolean", "a number", "a string", "a list", "an object"}[s]
}

// shorten keeps an excerpt readable and a terminal unharmed.
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

// path leads to a field of this kind.
func (k *kind) path(field []byte) string {
	if len(field) == 0 {
		return k.name + `.""`
	}
	return k.name + "." + shorten(field)
}

// explain puts a problem with a column's value into words.
func (c column) explain(p *problem) string {
	if p.must != "" {
		return p.must
	}
	says := p.says
	if says == "" {
		says = c.accepts()
	} else if p.path == "" && c.need == nullable {
		says += " or null"
	}
	if c.told {
		return "must be " + says + ", not " + p.got.shape.String()
	}
	return "must be " + says + ", not " + describe(p.got)
}

func (c column) accepts() string {
	if c.need == nullable {
		return c.form.says + " or null"
	}
	return c.form.says
}
