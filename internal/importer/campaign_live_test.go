package importer

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// arguments keeps the arguments that name one record, of two queries that lock rows.
type arguments map[string][]string

func (a arguments) TraceQueryStart(ctx context.Context, _ *pgx.Conn, query pgx.TraceQueryStartData) context.Context {
	for _, name := range []string{"DeleteMovedInterviews", "CorrectCampaignLive"} {
		if strings.HasPrefix(query.SQL, "-- name: "+name+" ") {
			var ids []string
			for _, arg := range query.Args {
				if id, ok := arg.(uuid.UUID); ok {
					ids = append(ids, id.String())
				}
			}
			slices.Sort(ids) // clients' ids begin with a 1, campaigns' with a 2
			a[name] = append(a[name], strings.Join(ids, " "))
		}
	}
	return ctx
}

func (a arguments) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// Two imports that put right interviews of the same clients and campaigns take them in
// one order, so that they wait for each other and do not deadlock.
func TestCampaignsArePutRightInOneOrder(t *testing.T) {
	t.Parallel()
	d := setup(t)
	config, err := pgx.ParseConfig(d.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	found := arguments{}
	config.Tracer = found
	if d.conn, err = pgx.ConnectConfig(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	defer d.conn.Close(context.WithoutCancel(t.Context()))

	var clients, interviews, moved, campaigns []string
	for c := range 12 {
		client := fmt.Sprintf("1aaaaaaa-0000-4000-8000-%012d", c)
		clients = append(clients, fmt.Sprintf(`{"kind":"client","id":"%s","slug":"c%d","name":"C"}`, client, c))
		for n := range 2 {
			campaign := fmt.Sprintf("2aaaaaaa-0000-4000-8000-%012d", 10*(12-c)+n)
			line := func(fields string) string {
				return fmt.Sprintf(`{"kind":"interview","id":"3aaaaaaa-0000-4000-8000-%012d","client_id":"%s","status":"completed","quality":"passed","created_at":"2026-03-01T09:30:00Z"%s}`, 10*c+n, client, fields)
			}
			interviews = append(interviews, line(""))
			moved = append(moved, line(`,"conversation_goal_id":"`+campaign+`"`))
			campaigns = append(campaigns, fmt.Sprintf(`{"kind":"campaign","id":"%s","client_id":"%s","slug":"s%d","launch_status":"ended"}`, campaign, client, n))
		}
	}
	d.mustImport(t, slices.Concat([]string{client("")}, clients, interviews)...)
	d.mustImport(t, slices.Concat(moved, flushing(1), campaigns)...)
	for name, want := range map[string]int{"DeleteMovedInterviews": 12, "CorrectCampaignLive": 24} {
		if got := found[name]; len(got) != want || !slices.IsSorted(got) {
			t.Errorf("%s ran for %q, want %d in order", name, got, want)
		}
	}
}
