package postgres

import (
	"context"
	"errors"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/clientintel/clientintel/internal/apierror"
)

// classify turns an error that means an unavailable or overloaded database into
// apierror.Unavailable, and returns others unchanged.
func classify(err error) error {
	if _, known := errors.AsType[*apierror.Error](err); !known && err != nil && IsUnavailable(err) {
		return apierror.Unavailable(err)
	}
	return err
}

// SQLState is the SQLSTATE of an error of PostgreSQL; empty for any other error.
func SQLState(err error) string {
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok {
		return refused.Code
	}
	return ""
}

// IsUnavailable reports whether an error means that the database cannot be reached or
// cannot run the statement now, rather than that the statement is wrong.
func IsUnavailable(err error) bool {
	if code := SQLState(err); code != "" {
		return isTransient(code)
	}
	_, connecting := errors.AsType[*pgconn.ConnectError](err)
	_, network := errors.AsType[net.Error](err)
	return connecting || network || errors.Is(err, context.DeadlineExceeded) || pgconn.SafeToRetry(err) || pgconn.Timeout(err) ||
		closedConnection(err)
}

// connectionLost reports whether an error means that the connection broke. Only then may
// another connection succeed: a database that is busy is so for each.
func connectionLost(err error) bool {
	if code := SQLState(err); code != "" {
		return code == "57P01" || code == "57P02" // shut down, crashed
	}
	return IsUnavailable(err) && !errors.Is(err, context.DeadlineExceeded) && !pgconn.Timeout(err)
}

// closedConnection recognises the errors without a type that mean a closed connection.
func closedConnection(err error) bool {
	text := err.Error()
	return strings.Contains(text, "unexpected EOF") || strings.Contains(text, "conn closed") ||
		strings.Contains(text, "closed pool") || strings.Contains(text, "conn busy")
}

// isTransient reports whether an SQLSTATE means that the database cannot run the statement
// now: the connection failed (08), the server shuts down, starts or cancels (57), a
// resource is used up (53), a system error such as of a disk (58), a read-only standby
// (25006), a lock timeout (55P03), or a transaction rolled back because of another.
func isTransient(code string) bool {
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

// IsRetryable reports whether the database rolled the transaction back because of another
// one (serialization failure or deadlock): nothing was done, and it may be retried.
func IsRetryable(err error) bool {
	code := SQLState(err)
	return code == serializationFailure || code == deadlock
}

const withheld = "(its words are withheld, as they may quote a client's data)"

// Loggable is the text of an error without PostgreSQL's message where that may quote a
// value; the SQLSTATE remains.
func Loggable(err error) string {
	text := err.Error()
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.Message != "" && mayQuote(refused.Code) {
		text = strings.ReplaceAll(text, refused.Message, withheld)
	}
	return text
}

// mayQuote reports whether messages of an SQLSTATE name more than tables, columns and
// roles: those of data exceptions and of exceptions that functions raise.
func mayQuote(code string) bool {
	return strings.HasPrefix(code, "22") || strings.HasPrefix(code, "P0")
}
