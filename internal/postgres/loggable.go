package postgres

import (
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

const withheld = "(its words are withheld, as they may quote a client's data)"

// Loggable is an error as a log may hold it. What the database says of a value
// that it could not take quotes the value, and what a function raises is its own
// affair; the SQLSTATE stands for both.
func Loggable(err error) string {
	text := err.Error()
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.Message != "" && mayQuote(refused.Code) {
		text = strings.ReplaceAll(text, refused.Message, withheld)
	}
	return text
}

// mayQuote tells the classes of SQLSTATE whose messages name more than tables,
// columns and roles: data exceptions, and exceptions that functions raise.
func mayQuote(code string) bool {
	return strings.HasPrefix(code, "22") || strings.HasPrefix(code, "P0")
}
