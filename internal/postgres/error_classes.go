package postgres

import (
	"context"
	"errors"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/clientintel/clientintel/internal/apierror"
)

// classify tells a database that is out of reach or too slow, which a caller
// may wait for, from an error of ours, which it may not. Faults pass as they are.
func classify(err error) error {
	if _, known := errors.AsType[*apierror.Error](err); !known && err != nil && IsUnavailable(err) {
		return apierror.Unavailable(err)
	}
	return err
}

// SQLState is the code that the database refused a statement with; empty: it did not.
func SQLState(err error) string {
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok {
		return refused.Code
	}
	return ""
}

// IsUnavailable tells whether an error means that the database cannot be reached,
// refuses to work or takes too long, rather than that a statement is wrong.
func IsUnavailable(err error) bool {
	if code := SQLState(err); code != "" {
		return refusal(code)
	}
	_, connecting := errors.AsType[*pgconn.ConnectError](err)
	_, network := errors.AsType[net.Error](err)
	return connecting || network || errors.Is(err, context.DeadlineExceeded) || pgconn.SafeToRetry(err) || pgconn.Timeout(err) ||
		closedConnection(err)
}

// connectionLost tells a connection that broke from a database that is busy:
// only the first may succeed on another connection.
func connectionLost(err error) bool {
	if code := SQLState(err); code != "" {
		return code == "57P01" || code == "57P02" // shut down, crashed
	}
	return IsUnavailable(err) && !errors.Is(err, context.DeadlineExceeded) && !pgconn.Timeout(err)
}

// closedConnection recognises the errors that have no type: the peer went away.
func closedConnection(err error) bool {
	text := err.Error()
	return strings.Contains(text, "unexpected EOF") || strings.Contains(text, "conn closed") ||
		strings.Contains(text, "closed pool") || strings.Contains(text, "conn busy")
}

// refusal tells which SQLSTATEs say "not now": lost connections (08), the
// server shutting down, starting or cancelling (57), resources out (53), system
// errors such as a failing disk (58), a read-only standby (25006), a lock that
// others hold (55P03), and a transaction that gave way to another.
func refusal(code string) bool {
	switch code[:2] {
	case "08", "53", "57", "58":
		return true
	}
	return code == "25006" || code == "55P03" || code == serializationFailure || code == deadlock
}

const (
	serializationFailure = "40001"
	deadlock             = "40P01"
)

// IsSerializationFailure tells whether the database rolled a transaction back for another's
// sake: nothing of it was done, and it may be tried again.
func IsSerializationFailure(err error) bool {
	code := SQLState(err)
	return code == serializationFailure || code == deadlock
}

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
