package importer

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
)

func (d *database) export(t *testing.T) string {
	t.Helper()
	var out bytes.Buffer
	_, err := Export(t.Context(), d.conn, uuid.MustParse(acme), false, &out)
	require.NoError(t, err)
	return out.String()
}

// Equal contents give equal bytes, whatever the order in which they were written.
func TestExport_IsOrdered(t *testing.T) {
	t.Parallel()
	one, other := setup(t), setup(t)
	one.mustImport(t, everything...)
	for _, line := range slices.Backward(everything) {
		if !strings.Contains(line, `"kind":"client"`) {
			line = everything[0] + "\n" + everything[1] + "\n" + strings.Join(slices.Concat(everything[2:7], everything[13:], []string{line}), "\n")
		}
		other.mustImport(t, line)
	}
	check.Equal(t, other.export(t), one.export(t))
}
