package importer

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// savepoints counts those that a connection sets.
type savepoints int

func (n *savepoints) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}
func (n *savepoints) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (n *savepoints) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return ctx
}
func (n *savepoints) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

func (n *savepoints) TraceBatchQuery(_ context.Context, _ *pgx.Conn, query pgx.TraceBatchQueryData) {
	if strings.HasPrefix(query.SQL, "SAVEPOINT") {
		*n++
	}
}

// PostgreSQL holds 64 subtransactions of a transaction at hand. With more, whoever
// reads at that time looks up every row's.
func TestAnImportHasFewSubtransactions(t *testing.T) {
	t.Parallel()
	d := setup(t)
	config, err := pgx.ParseConfig(d.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	var set savepoints
	config.Tracer = &set
	conn, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	lines := []string{client("")}
	for i := range 70 { // each a batch of its own
		lines = append(lines, flushing(i)...)
	}
	s, err := Import(t.Context(), conn, Options{}, Stream("the input", strings.NewReader(strings.Join(lines, "\n"))))
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Kinds[len(s.Kinds)-1]; got.Added != 70 || got.Removed != 70 {
		t.Errorf("%+v", got)
	}
	if set < 10 || set > 64 {
		t.Errorf("%d savepoints", set)
	}

	// Of ids that are known a first batch is tried, and no other.
	set = 0
	if _, err := Import(t.Context(), conn, Options{}, Stream("the input", strings.NewReader(strings.Join(lines, "\n")))); err != nil {
		t.Fatal(err)
	}
	if set != 1 {
		t.Errorf("%d savepoints for ids that are known", set)
	}
}
