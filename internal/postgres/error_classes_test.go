package postgres_test

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/clientintel/clientintel/internal/postgres"
)

// What PostgreSQL undid for another transaction's sake may be tried again; a statement that
// is wrong stays wrong.
func TestIsRetryable(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]bool{"40P01": true, "40001": true, "22012": false, "42501": false} {
		err := fmt.Errorf("reading: %w", &pgconn.PgError{Code: code})
		if postgres.IsRetryable(err) != want || postgres.IsUnavailable(err) != want {
			t.Errorf("%s: unavailable %v, retryable %v, want %v", code, postgres.IsUnavailable(err), postgres.IsRetryable(err), want)
		}
	}
}
