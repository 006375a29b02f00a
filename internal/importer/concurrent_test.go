package importer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"
)

// feed is an import whose file is written as the test goes.
type feed struct {
	*io.PipeWriter
	written chan struct{} // closed when the first batch is in the database
	done    chan error
}

func (d *database) startImport(ctx context.Context, t *testing.T) *feed {
	t.Helper()
	conn := connect(t, d.OwnerURL)
	in, out := io.Pipe()
	f := &feed{PipeWriter: out, written: make(chan struct{}), done: make(chan error, 1)}
	var once sync.Once
	go func() {
		_, err := Import(ctx, conn, Options{Progress: func(Progress) { once.Do(func() { close(f.written) }) }}, Stream("the input", in))
		f.done <- err
	}()
	// The parser may still sit in a Read when the import has failed.
	t.Cleanup(func() { _ = out.Close() })
	return f
}

func (f *feed) send(t *testing.T, lines ...string) {
	t.Helper()
	if _, err := io.WriteString(f, strings.Join(lines, "\n")+"\n"); err != nil {
		t.Fatal(err)
	}
}

// flushing makes a batch of its own of what was sent before.
func flushing(n int) []string {
	id := fmt.Sprintf("14141414-0000-4000-8000-%012d", n)
	return []string{strings.Replace(interview(""), someone, id, 1), deleteLine("interview", id)}
}

func (f *feed) wait(t *testing.T) error {
	t.Helper()
	select {
	case err := <-f.done:
		return err
	case <-time.After(20 * time.Second):
		t.Fatal("the import does not end")
		return nil
	}
}

// Two imports that share a client and its campaigns do not wait for each other
// as long as they leave these as they are.
func TestTwoImportsOfOneClientGoSideBySide(t *testing.T) {
	t.Parallel()
	d := setup(t)
	shared := []string{client(""), onboardingLine(`,"launch_status":"live"`)}
	d.mustImport(t, shared...)

	first := d.startImport(t.Context(), t)
	first.send(t, shared...)
	first.send(t, interview(ofCampaign))
	first.send(t, flushing(1)...)
	<-first.written
	other := strings.Replace(interview(ofCampaign), someone, "11111111-0000-4000-8000-000000000002", 1)
	d.mustImport(t, append(shared, other)...)
	first.Close()
	if err := first.wait(t); err != nil {
		t.Fatalf("the import that was open meanwhile: %v", err)
	}
	d.wantTrueTotals(t)
	if got := d.get(t, "count(*)", "interviews WHERE usable"); got != "2" {
		t.Errorf("%s usable, want 2", got)
	}
}

// Also when both of them bring the client, and some of the same records.
func TestTwoImportsOfANewClientBothSucceed(t *testing.T) {
	t.Parallel()
	d := setup(t)
	first, second := d.startImport(t.Context(), t), d.startImport(t.Context(), t)
	for n, f := range []*feed{first, second} {
		go func() {
			defer f.Close()
			for i := range 3000 {
				if i == 1500 {
					_, _ = io.WriteString(f, client("")+"\n"+onboardingLine(`,"launch_status":"live"`)+"\n")
				}
				line := strings.Replace(interview(ofCampaign), someone, fmt.Sprintf("12121212-0000-4000-8000-%012d", 2*i+n), 1)
				_, _ = io.WriteString(f, line+"\n")
			}
		}()
	}
	for _, f := range []*feed{first, second} {
		if err := f.wait(t); err != nil {
			t.Fatal(err)
		}
	}
	d.wantTrueTotals(t)
	if got := d.get(t, "count(*)", "interviews WHERE usable"); got != "6000" {
		t.Errorf("%s usable, want 6000", got)
	}
}

// Records in common may make two imports wait for each other. One then fails,
// whole, and says that it can be tried again.
func TestADeadlockSaysTryAgain(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.mustImport(t, client(""))
	x, y := interview(`,"best_quote":"x"`), strings.Replace(interview(`,"best_quote":"y"`), someone, "11111111-0000-4000-8000-000000000002", 1)
	first, second := d.startImport(t.Context(), t), d.startImport(t.Context(), t)
	first.send(t, append([]string{x}, flushing(1)...)...)
	second.send(t, append([]string{y}, flushing(2)...)...)
	<-first.written
	<-second.written
	first.send(t, append([]string{y}, flushing(3)...)...)
	second.send(t, append([]string{x}, flushing(4)...)...)
	first.Close()
	second.Close()
	errs := []error{first.wait(t), second.wait(t)}
	if errs[0] == nil {
		errs[0], errs[1] = errs[1], errs[0]
	}
	const want = "interviews: another writer changed the same records at the same time: run the import again (ERROR: %s (SQLSTATE 40P01))"
	saysTryAgain := false
	for _, byServer := range []string{"deadlock detected", "canceling the transaction since it was involved in a distributed deadlock"} { // PostgreSQL's, Citus's
		saysTryAgain = saysTryAgain || strings.HasSuffix(errs[0].Error(), fmt.Sprintf(want, byServer))
	}
	if !errors.Is(errs[0], ErrConflict) || !strings.HasPrefix(errs[0].Error(), "nothing was imported: ") || !saysTryAgain {
		t.Errorf("got  %v\nwant nothing was imported: … %s", errs[0], want)
	}
	if errs[1] != nil {
		t.Errorf("the other one failed too: %v", errs[1])
	}
	d.wantTrueTotals(t)
}

// A campaign that somebody else ends while its interviews come in waits for
// the import, and then takes them along.
func TestACampaignEndsWhileItsInterviewsComeIn(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.mustImport(t, client(""), onboardingLine(`,"launch_status":"live"`))
	first := d.startImport(t.Context(), t)
	first.send(t, interview(ofCampaign))
	first.send(t, flushing(1)...)
	<-first.written
	second := d.startImport(t.Context(), t)
	second.send(t, onboardingLine(`,"launch_status":"ended"`))
	second.Close()
	select {
	case err := <-second.done:
		t.Fatalf("the campaign ended under an open import: %v", err)
	case <-time.After(200 * time.Millisecond):
	}
	first.Close()
	if err := first.wait(t); err != nil {
		t.Fatal(err)
	}
	if err := second.wait(t); err != nil {
		t.Fatal(err)
	}
	d.wantTrueTotals(t)
	if got := d.get(t, "count(*)", "interviews WHERE usable"); got != "0" {
		t.Errorf("%s usable, want 0", got)
	}
}
