package importer

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/clientintel/clientintel/internal/test/require"
)

func TestACancelledImportLeavesNothing(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.mustImport(t, client(""))
	before := d.dump(t)
	ctx, cancel := context.WithCancel(t.Context())
	f := d.startImport(ctx, t)
	f.send(t, onboardingLine(`,"launch_status":"live"`), interview(ofCampaign))
	<-f.read
	// The file goes on, but its writer does not: the import ends all the same.
	cancel()
	err := f.wait(t)
	if want := "nothing was imported: interrupted: context canceled"; err == nil || err.Error() != want || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %s", err, want)
	}
	d.wantSame(t, before)
}

func TestADatabaseThatIsKilledIsReportedAndLeavesNothing(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.mustImport(t, client(""))
	before := d.dump(t)
	f := d.startImport(t.Context(), t)
	f.send(t, interview(""))
	<-f.read
	d.Exec(t, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query ILIKE 'copy %'")
	f.send(t, interview(""))
	f.Close()
	err := f.wait(t)
	if err == nil || !strings.HasPrefix(err.Error(), "nothing was imported: ") {
		t.Errorf("got %v", err)
	}
	d.wantSame(t, before)
}

func TestAFileThatCannotBeReadLeavesNothing(t *testing.T) {
	t.Parallel()
	d := setup(t)
	in := io.MultiReader(strings.NewReader(client("")+"\n"+`{"kind"`), iotest.ErrReader(errors.New("input/output error")))
	_, err := Import(t.Context(), d.conn, Options{}, Stream("the input", in))
	if want := "nothing was imported: reading line 2: input/output error"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	d.want(t, "count(*)", "clients", "0")
	// The connection is good for the next try.
	d.mustImport(t, client(""))
}

func TestVacuum_LeavesTheTableVacuumed(t *testing.T) {
	t.Parallel()
	d := setup(t)
	sum := d.mustImport(t, everything...)
	require.NoError(t, Vacuum(t.Context(), d.conn, sum))
	d.want(t, "reltuples || ' ' || relallvisible", "pg_class WHERE relname = 'interviews'", "4 1")
}
