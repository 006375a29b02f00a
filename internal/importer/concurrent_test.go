package importer

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
)

// feed is an import whose file is written as the test goes.
type feed struct {
	*io.PipeWriter
	read chan struct{} // closed when the first line is read
	done chan error
}

func (d *database) startImport(ctx context.Context, t *testing.T) *feed {
	t.Helper()
	conn := dbtest.Connect(t, d.OwnerURL)
	in, out := io.Pipe()
	f := &feed{PipeWriter: out, read: make(chan struct{}), done: make(chan error, 1)}
	var once sync.Once
	go func() {
		_, err := Import(ctx, conn, Options{Progress: func(Progress) { once.Do(func() { close(f.read) }) }}, Stream("the input", in))
		f.done <- err
	}()
	// The parser may still sit in a Read when the import has failed.
	t.Cleanup(func() { _ = out.Close() })
	return f
}

func (f *feed) send(t *testing.T, lines ...string) {
	t.Helper()
	_, err := io.WriteString(f, strings.Join(lines, "\n")+"\n")
	require.NoError(t, err)
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

// An import that is still reading holds up no other of the same client.
func TestTwoImportsOfOneClientGoSideBySide(t *testing.T) {
	t.Parallel()
	d := setup(t)
	shared := []string{client(""), onboardingLine(`,"launch_status":"live"`)}
	d.mustImport(t, shared...)
	first := d.startImport(t.Context(), t)
	first.send(t, shared...)
	first.send(t, interview(ofCampaign))
	<-first.read
	d.mustImport(t, append(shared, strings.Replace(interview(ofCampaign), someone, "11111111-0000-4000-8000-000000000002", 1))...)
	first.Close()
	require.NoError(t, first.wait(t))
	d.wantTrueTotals(t)
	d.want(t, "count(*)", "interviews WHERE usable", "2")
}

// Two that bring the same client, some of the same records in another order, and
// different liveness of a campaign both succeed, one after the other.
func TestTwoImportsOfTheSameRecordsBothSucceed(t *testing.T) {
	t.Parallel()
	d := setup(t)
	first, second := d.startImport(t.Context(), t), d.startImport(t.Context(), t)
	for n, f := range []*feed{first, second} {
		go func() {
			defer f.Close()
			for i := range 1000 {
				if i == 500 {
					_, _ = io.WriteString(f, client("")+"\n"+onboardingLine(fmt.Sprintf(`,"launch_status":"live","active":%t`, n == 0))+"\n")
				}
				id := fmt.Sprintf("12121212-0000-4000-8000-%012d", (1-2*n)*i+1000*n)
				_, _ = io.WriteString(f, strings.Replace(interview(ofCampaign), someone, id, 1)+"\n")
			}
		}()
	}
	for _, f := range []*feed{first, second} {
		require.NoError(t, f.wait(t))
	}
	d.wantTrueTotals(t)
	d.want(t, "count(*) || ' ' || (count(*) FILTER (WHERE usable) IN (0, count(*)))", "interviews", "1001 true")
}
