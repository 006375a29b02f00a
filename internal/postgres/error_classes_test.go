package postgres_test

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/test/dbtest"
)

// PostgreSQL rolls back one of two transactions that wait for each other. It may be
// retried.
func TestIsRetryable_ADeadlockIs(t *testing.T) {
	t.Parallel()
	database := dbtest.New(t)
	ctx := context.Background()
	begin := func(lock int) pgx.Tx {
		conn := connect(t, database.OwnerURL)
		tx, err := conn.Begin(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", lock); err != nil {
			t.Fatal(err)
		}
		return tx
	}
	one, two := begin(1), begin(2)
	ended := make(chan error, 2)
	for tx, lock := range map[pgx.Tx]int{one: 2, two: 1} {
		go func() {
			_, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", lock)
			_ = tx.Rollback(ctx)
			ended <- err
		}()
	}
	err := errors.Join(<-ended, <-ended)
	if err == nil {
		t.Fatal("neither transaction was ended")
	}
	if !postgres.IsUnavailable(err) || !postgres.IsRetryable(err) {
		t.Errorf("%v: unavailable %v, retryable %v, want both", err, postgres.IsUnavailable(err), postgres.IsRetryable(err))
	}
}

// A statement that is wrong stays wrong, however often it is tried.
func TestIsRetryable_AWrongStatementIsNot(t *testing.T) {
	t.Parallel()
	conn := connect(t, dbtest.New(t).OwnerURL)
	_, err := conn.Exec(context.Background(), "SELECT 1 / 0")
	if err == nil || postgres.IsUnavailable(err) || postgres.IsRetryable(err) {
		t.Errorf("%v: unavailable %v, retryable %v, want neither", err, postgres.IsUnavailable(err), postgres.IsRetryable(err))
	}
}
