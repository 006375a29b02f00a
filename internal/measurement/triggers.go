package measurement

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/clientintel/clientintel/gen/db"
)

// Triggers is whether the triggers and foreign keys that keep counts are enabled, as of the
// last check. While one is not, no total can be proven.
type Triggers struct{ disabled atomic.Pointer[string] }

// Check looks at the database's catalog. While it cannot, the last result stays.
func (t *Triggers) Check(ctx context.Context, conn db.DBTX) error {
	disabled, err := db.New(conn).CheckTriggers(ctx)
	if err != nil {
		return fmt.Errorf("checking the triggers that keep counts: %w", err)
	}
	t.disabled.Store(&disabled)
	return nil
}

// Disabled names those that are switched off; empty: none is.
func (t *Triggers) Disabled() string {
	if disabled := t.disabled.Load(); disabled != nil {
		return *disabled
	}
	return "they were not checked yet"
}
