package analytics_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/analytics"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/basis"
	"github.com/clientintel/clientintel/internal/measurement"
	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
	"github.com/clientintel/clientintel/internal/timewindow"
)

// However the URL makes statements run, in binary or in text, data points are read the same.
func TestReader_ReadsBinaryAndText(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	caller := auth.Caller{ClientID: uuid.New()}
	d.Exec(t, fmt.Sprintf(`
		INSERT INTO clients (id, slug, name) VALUES ('%[1]s', 'acme', 'Acme');
		INSERT INTO campaigns (client_id, id, slug, launch_status) VALUES ('%[1]s', '%[2]s', 'launch', 'live');
		INSERT INTO interviews (client_id, id, campaign_id, created_at, status, quality, reportable, client_safe, nps_score)
		SELECT '%[1]s', gen_random_uuid(), CASE WHEN n %% 3 = 0 THEN '%[2]s'::uuid END,
			timestamptz '1999-12-30 23:59:59.999999+00' + n * interval '7 hours', 'completed', 'passed', true, true, nullif(n, 10)
		FROM generate_series(0, 10) AS n`, caller.ClientID, uuid.New()))
	from, err := timewindow.Parse("1999-01-01")
	require.NoError(t, err)
	query := analytics.Query{From: &from, Scope: basis.Scope{ClientID: caller.ClientID}}
	var want []string
	for _, mode := range []string{"cache_statement", "cache_describe", "describe_exec", "exec", "simple_protocol"} {
		pool, err := postgres.OpenPool(context.Background(), postgres.PoolSettings{
			URL: d.OwnerURL + "&default_query_exec_mode=" + mode, Size: 1, StatementTimeout: time.Minute, AcquireTimeout: time.Minute,
		})
		require.NoError(t, err)
		snapshots := measurement.NewSnapshotReader(pool, &measurement.Triggers{}, 10)
		held, err := analytics.New(snapshots, snapshots).Read(t.Context(), caller, query)
		require.NoError(t, err, mode)
		var got []string
		for _, row := range held.Rows {
			got = append(got, fmt.Sprint(row.Day, row.Campaign.Label, row.Sentiment))
		}
		if want == nil {
			want = got
		}
		if held.Report.Total != 11 || len(got) != 11 || !slices.Equal(got, want) || got[10] != "1999-12-30launchdetractor" {
			t.Errorf("%s: %d interviews:\n got %v\nwant %v", mode, held.Report.Total, got, want)
		}
		pool.Close()
	}
}
