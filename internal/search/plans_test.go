package search_test

import (
	"context"
	"testing"

	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/dbtest"
)

// The function that reads past row-level policies answers for the transaction's
// client only.
func TestFind_RefusesAnotherClient(t *testing.T) {
	t.Parallel()
	conn := dbtest.Connect(t, dbtest.New(t).OwnerURL)
	mine, other := addClient(t, conn, "acme", "legacy"), addClient(t, conn, "globex", "legacy")
	for _, set := range []string{"", other.ClientID.String()} {
		dbtest.Exec(t, conn, "SELECT set_config('clientintel.client_id', $1, false)", set)
		_, err := conn.Exec(context.Background(), "SELECT FROM find_search_documents($1, NULL, 'x', 5)", mine.ClientID)
		check.Error(t, err, "42501", "with set to", set)
	}
	dbtest.Exec(t, conn, "SELECT set_config('clientintel.client_id', $1, false)", mine.ClientID.String())
	dbtest.Exec(t, conn, "SELECT FROM find_search_documents($1, NULL, 'x', 5)", mine.ClientID)
}
