package apierror

import (
	"errors"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/test/check"
)

// The words that callers see are shared by all requests: an error with details or a cause
// is another one.
func TestError_CopiesAreChangedAlone(t *testing.T) {
	cause := errors.New("connection refused")
	with := InvalidAPIKey.WithDetails("details").Because(cause)
	if InvalidAPIKey.Because(cause) == InvalidAPIKey || InvalidAPIKey.Details != "" || errors.Is(InvalidAPIKey, cause) {
		t.Errorf("the shared error is now %q", InvalidAPIKey)
	}
	if !errors.Is(with, cause) || with.Details != "details" || with.Code != InvalidAPIKey.Code {
		t.Errorf("the copy is %q", with)
	}
}

// A cause is for the log: no part that a response shows has it.
func TestError_TheCauseIsPrivate(t *testing.T) {
	cause := errors.New("a secret of the database")
	for _, e := range []*Error{Internal(cause), Unavailable(cause), MeasurementUnavailable(cause), InvalidCursor.Because(cause)} {
		if public := e.Message + e.Details; strings.Contains(public, cause.Error()) || !strings.HasSuffix(e.Error(), cause.Error()) {
			t.Errorf("%s shows %q and logs %q", e.Code, public, e)
		}
	}
	check.Equal(t, InvalidParameter("limit: must be 1 to 200").Error(), "invalid_parameter: limit: must be 1 to 200", "logged as")
}
