//go:build partners

package guides_test

import (
	"testing"

	"github.com/clientintel/clientintel/internal/test/partners/partnerserver"
)

// packages are installed once, and need the network.
func packages(t *testing.T) string { return partnerserver.Python(t, "notebook/requirements.txt") }
