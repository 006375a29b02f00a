package importer

import (
	"errors"
	"io"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// A commit that the database refused imported nothing; one whose answer was
// lost may have imported everything.
func TestCommitError_SaysWhetherAnythingWasImported(t *testing.T) {
	t.Parallel()
	refused := commitError(&pgconn.PgError{Severity: "ERROR", Code: "23503", Message: "no campaign"})
	want := "nothing was imported: committing: another writer changed the same records at the same time: run the import again (ERROR: no campaign (SQLSTATE 23503))"
	if refused.Error() != want || !errors.Is(refused, ErrConflict) {
		t.Errorf("got  %v\nwant %s", refused, want)
	}
	lost := commitError(io.ErrUnexpectedEOF)
	want = "it is not known whether the import was committed, run it again: unexpected EOF"
	if lost.Error() != want || !errors.Is(lost, io.ErrUnexpectedEOF) {
		t.Errorf("got  %v\nwant %s", lost, want)
	}
}
