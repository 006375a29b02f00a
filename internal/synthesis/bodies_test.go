package synthesis

import (
	"errors"
	"testing"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/access"
	"github.com/clientintel/clientintel/internal/fault"
)

// Whoever calls the reader, the daily feed's bodies are never read without the
// scope: there is not even a ledger here to read them from.
func TestListBodies_TheDailyFeedNeedsIdentity(t *testing.T) {
	t.Parallel()
	caller := access.Caller{ClientID: uuid.New(), Scopes: access.Default()}
	_, err := New(nil).ListBodies(t.Context(), caller, BodyQuery{Type: DailyFeed})
	var refused *fault.Error
	if !errors.As(err, &refused) || refused.Kind != fault.Forbidden || refused.Scope != "read:customer_identity" {
		t.Errorf("the daily feed answers %v, want a missing scope", err)
	}
}
