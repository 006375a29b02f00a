package guides_test

import (
	"os"
	"testing"
)

// The scripts among the connectors are the guide's own blocks, so that what the
// blocks are held to holds for them.
func TestPowerQuery_FilesAreTheGuidesBlocks(t *testing.T) {
	t.Parallel()
	blocks, _ := mustBlocks(t, biGuide, guideSources()[biGuide])
	var formulas []string
	for _, b := range blocks {
		if b.tag == "powerquery" {
			formulas = append(formulas, b.text)
		}
	}
	const folder = "../../../openapi/connectors/powerquery/"
	files := []string{"ClientIntelWalk.pq", "interviews.pq", "campaigns.pq"}
	if len(formulas) != len(files) {
		t.Fatalf("the guide has %d formulas, the connectors %d", len(formulas), len(files))
	}
	for i, file := range files {
		text, err := os.ReadFile(folder + file)
		if err != nil {
			t.Fatal(err)
		}
		if string(text) != formulas[i] {
			t.Errorf("%s is not the guide's formula %d", file, i+1)
		}
	}
}
