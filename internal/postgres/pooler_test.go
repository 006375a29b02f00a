package postgres_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/embedded"
	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
)

// Behind a pooler nothing is set for a session, so what a request stands on must be the
// login's own: commits that are not flushed would give requests back to a key.
func TestPooler_TheLoginsSettingsAreItsOwn(t *testing.T) {
	t.Parallel()
	database := dbtest.New(t)
	// Behind a pooler another process executes than the one named at connect.
	database.Exec(t, "CREATE FUNCTION public.pg_backend_pid() RETURNS integer LANGUAGE sql AS 'SELECT 1'")
	set := func(setting string) {
		database.Exec(t, fmt.Sprintf("ALTER ROLE %s IN DATABASE %s SET %s", embedded.Login, database.Name, setting))
	}
	open := func() error {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		pool, err := postgres.OpenPool(ctx, postgres.PoolSettings{
			URL: database.ServerURL + "&default_query_exec_mode=cache_describe", Size: 1, AcquireTimeout: time.Minute,
		})
		if err == nil {
			pool.Close()
		}
		return err
	}
	set("search_path = public, pg_catalog")
	right := map[string]string{
		"TimeZone": "'UTC'", "jit": "off", "lock_timeout": "'2s'", "idle_in_transaction_session_timeout": "'60s'",
		"default_transaction_isolation": "'read committed'", "default_transaction_read_only": "off", "synchronous_commit": "on",
	}
	for name, value := range right {
		set(name + " = " + value)
	}
	require.NoError(t, open())
	for name, wrong := range map[string]string{
		"TimeZone": "'Asia/Kathmandu'", "jit": "on", "lock_timeout": "0", "idle_in_transaction_session_timeout": "0",
		"default_transaction_isolation": "serializable", "default_transaction_read_only": "on", "synchronous_commit": "off",
	} {
		set(name + " = " + wrong)
		check.Error(t, open(), " SET "+name+" = "+right[name]+";", name, wrong)
		set(name + " = " + right[name])
	}
	// How far a commit is waited for beyond the primary's own disk is the operator's choice.
	set("synchronous_commit = local")
	check.NoError(t, open(), "synchronous_commit = local")
}
