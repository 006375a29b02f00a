package synthesis

import (
	"errors"
	"testing"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/auth"
)

// The reader itself refuses the daily feed's bodies without the
// scope: there is not even a snapshot reader here to read them from.
func TestListBodies_TheDailyFeedNeedsIdentity(t *testing.T) {
	t.Parallel()
	caller := auth.Caller{ClientID: uuid.New(), Scopes: auth.Default()}
	_, err := New(nil).ListBodies(t.Context(), caller, BodyQuery{Type: DailyFeed})
	var refused *apierror.Error
	if !errors.As(err, &refused) || refused.Kind != apierror.KindForbidden || refused.Scope != "read:customer_identity" {
		t.Errorf("the daily feed answers %v, want a missing scope", err)
	}
}
