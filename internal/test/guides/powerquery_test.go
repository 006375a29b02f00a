package guides_test

import (
	"os"
	"testing"

	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
	"github.com/clientintel/clientintel/openapi"
)

// The connectors' Power Query files are the guide's blocks. The partners' tests
// run the files.
func TestPowerQuery_FilesAreTheGuidesBlocks(t *testing.T) {
	t.Parallel()
	blocks, err := blocksOf(biGuide, string(openapi.BIGuide("")))
	require.NoError(t, err)
	var formulas []string
	for _, b := range blocks {
		if b.tag == "powerquery" {
			formulas = append(formulas, b.text)
		}
	}
	files := []string{"ClientIntelWalk.pq", "interviews.pq", "campaigns.pq"}
	if len(formulas) != len(files) {
		t.Fatalf("the guide has %d formulas, the connectors %d", len(formulas), len(files))
	}
	for i, file := range files {
		text, err := os.ReadFile("../../../openapi/connectors/powerquery/" + file)
		require.NoError(t, err)
		check.Equal(t, string(text), formulas[i], file, i+1)
	}
}
