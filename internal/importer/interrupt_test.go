package importer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/jackc/pgx/v5"
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
	if diff := difference(before, d.dump(t)); diff != "" {
		t.Errorf("something was left:\n%s", diff)
	}
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
	if diff := difference(before, d.dump(t)); diff != "" {
		t.Errorf("something was left:\n%s", diff)
	}
}

func TestAFileThatCannotBeReadLeavesNothing(t *testing.T) {
	t.Parallel()
	d := setup(t)
	in := io.MultiReader(strings.NewReader(client("")+"\n"+`{"kind"`), iotest.ErrReader(errors.New("input/output error")))
	_, err := Import(t.Context(), d.conn, Options{}, Stream("the input", in))
	if want := "nothing was imported: reading line 2: input/output error"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if got := d.get(t, "count(*)", "clients"); got != "0" {
		t.Errorf("%s clients", got)
	}
	// The connection is good for the next try.
	d.mustImport(t, client(""))
}

// The database's work ends with the program, however long a statement would take.
func TestAKilledImportEndsItsBackend(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.mustImport(t, client(""))
	d.Exec(t, `CREATE FUNCTION sleep_long() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(60); RETURN NULL; END'`)
	d.Exec(t, "CREATE TRIGGER sleep_long AFTER INSERT ON interviews FOR EACH STATEMENT EXECUTE FUNCTION sleep_long()")
	config, err := pgx.ParseConfig(d.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	// A killed program sends no request to cancel either.
	var dead atomic.Bool
	dial := config.DialFunc
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		if dead.Load() {
			return nil, errors.New("the program is dead")
		}
		return dial(ctx, network, address)
	}
	conn, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	backend := fmt.Sprintf("pg_stat_activity WHERE pid = %d", conn.PgConn().PID())
	socket := conn.PgConn().Conn()
	done := make(chan error, 1)
	go func() {
		_, err := Import(t.Context(), conn, Options{}, Stream("the input", strings.NewReader(interview(""))))
		done <- err
	}()
	for d.get(t, "count(*)", backend+" AND wait_event = 'PgSleep'") != "1" {
		time.Sleep(10 * time.Millisecond)
	}
	killed := time.Now()
	dead.Store(true)
	// What the system does with the connections of a killed program.
	if err := socket.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err == nil {
		t.Error("the import succeeded")
	}
	for d.get(t, "count(*)", backend) != "0" {
		if time.Since(killed) > 20*time.Second {
			t.Fatal("the backend works on")
		}
		time.Sleep(10 * time.Millisecond)
	}
	if took := time.Since(killed); took > time.Second {
		t.Logf("the backend ended after %s, on a busy machine", took)
	}
}

func TestVacuum_LeavesTheTableVacuumed(t *testing.T) {
	t.Parallel()
	d := setup(t)
	sum := d.mustImport(t, everything...)
	if err := Vacuum(t.Context(), d.conn, sum); err != nil {
		t.Fatal(err)
	}
	if got := d.get(t, "reltuples || ' ' || relallvisible", "pg_class WHERE relname = 'interviews'"); got != "4 1" {
		t.Errorf("rows and visible pages: got %s, want 4 1", got)
	}
}
