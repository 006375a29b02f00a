package search_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/dbtest"
)

// plansOf runs a statement and returns the plans of the statements inside the
// functions it calls.
func plansOf(t *testing.T, url, sql string, args ...any) string {
	t.Helper()
	var plans strings.Builder
	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { plans.WriteString(n.Message + "\n") }
	conn, err := pgx.ConnectConfig(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	for _, setting := range []string{
		"LOAD 'auto_explain'", "SET auto_explain.log_min_duration = 0", "SET auto_explain.log_nested_statements = on",
		"SET client_min_messages = log", "SELECT set_config('clientintel.client_id', '" + args[0].(uuid.UUID).String() + "', false)",
	} {
		exec(t, conn, setting)
	}
	plans.Reset()
	exec(t, conn, sql, args...)
	return plans.String()
}

// Each way of searching has the one plan it was made for, however little the
// planner knows: right after an import there are no statistics.
func TestPlans_AreTheSameWithoutStatistics(t *testing.T) {
	t.Parallel()
	database := dbtest.New(t)
	conn := connect(t, database.OwnerURL)
	client := addClient(t, conn, "acme", "legacy")
	campaign := addCampaign(t, conn, client, "spring", "live")
	quote := "The support order"
	for range 30 {
		add(t, conn, client, said{id: uuid.New(), at: time.Now(), quote: &quote}, &campaign)
	}
	index(t, conn, 10)
	large := addClient(t, conn, "globex", "legacy")
	for range 40 {
		add(t, conn, large, said{id: uuid.New(), at: time.Now(), quote: &quote}, nil)
	}
	exec(t, conn, "SELECT merge_measurement_changes()")
	for _, c := range []struct {
		name, sql, want, never string
		client                 auth.Caller
	}{
		{
			"the newest", "SELECT FROM scan_search_documents($1, NULL, 'support', 50, 20)",
			"Index Scan using search_documents_page", "Sort", client,
		},
		{
			"the newest of a campaign", "SELECT FROM scan_search_documents($1, 'spring', 'support', 50, 20)",
			"Index Scan using search_documents_campaign_page", "Sort", client,
		},
		{
			"whether there are more", "SELECT has_older_search_documents($1, NULL, 20)",
			"using search_documents_", "Bitmap", client,
		},
		{
			"by trigrams", "SELECT FROM find_search_documents($1, NULL, 'zanzibar', 50)",
			"Bitmap Index Scan on search_documents_trigrams", "Seq Scan on search_documents", client,
		},
		{
			"by trigrams, what is not in the index", "SELECT FROM find_search_documents($1, 'spring', 'zanzibar', 50)",
			"Bitmap Index Scan on search_documents_not_indexed", "Seq Scan on search_documents", client,
		},
		{
			"without trigrams", "SELECT FROM find_search_documents($1, NULL, 'zo', 50)",
			"Bitmap Index Scan on search_documents_", "Bitmap Index Scan on search_documents_trigrams", client,
		},
		{
			"with trigrams that are everywhere", "SELECT FROM find_search_documents($1, NULL, 'support', 50)",
			"Bitmap Index Scan on search_documents_", "Bitmap Index Scan on search_documents_trigrams", client,
		},
		{
			"without trigrams, of the client that has most", "SELECT FROM find_search_documents($1, NULL, 'zo', 50)",
			"Seq Scan on search_documents", "Bitmap Heap Scan on search_documents", large,
		},
		{
			"without trigrams, in a campaign", "SELECT FROM find_search_documents($1, 'spring', 'zo', 50)",
			"Bitmap Index Scan on search_documents_campaign_page", "Bitmap Index Scan on search_documents_trigrams", client,
		},
		{
			"whether trigrams narrow", "SELECT trigrams_are_selective($1, 'support')",
			"Index Scan using search_documents_page", "Sort", client,
		},
	} {
		plans := plansOf(t, database.SuperuserURL, c.sql, c.client.ClientID)
		if !strings.Contains(plans, c.want) || strings.Contains(plans, c.never) ||
			strings.Contains(plans, "Seq Scan on search_documents") && c.client.ClientID != large.ClientID {
			t.Errorf("%s: want %q, and never %q:\n%s", c.name, c.want, c.never, plans)
		}
	}
}

// The function that reads past row-level policies answers for the transaction's
// client only.
func TestFind_RefusesAnotherClient(t *testing.T) {
	t.Parallel()
	conn := connect(t, dbtest.New(t).OwnerURL)
	mine, other := addClient(t, conn, "acme", "legacy"), addClient(t, conn, "globex", "legacy")
	for _, set := range []string{"", other.ClientID.String()} {
		exec(t, conn, "SELECT set_config('clientintel.client_id', $1, false)", set)
		_, err := conn.Exec(context.Background(), "SELECT FROM find_search_documents($1, NULL, 'x', 5)", mine.ClientID)
		if err == nil || !strings.Contains(err.Error(), "42501") {
			t.Errorf("with %q set: %v, want a refusal", set, err)
		}
	}
	exec(t, conn, "SELECT set_config('clientintel.client_id', $1, false)", mine.ClientID.String())
	exec(t, conn, "SELECT FROM find_search_documents($1, NULL, 'x', 5)", mine.ClientID)
}
