//go:build partners && clientintel_testing

package clients_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/partners/partnerserver"
	"github.com/clientintel/clientintel/internal/test/require"
)

const wheel = "clientintel-1.2.0-py3-none-any.whl"

func TestPython(t *testing.T) {
	programs := partnerserver.Python(t, "python/requirements.txt")
	python := filepath.Join(programs, "python")
	srv, env := start(t)
	// The wheel, in a folder that stands before everything else.
	installed := t.TempDir()
	run(t, installed, nil, python, "-m", "pip", "install", "--quiet", "--no-index", "--target", installed, srv.URL+"/docs/clients/"+wheel)
	env = append(env, "PYTHONPATH="+installed, "PATH="+programs+string(os.PathListSeparator)+os.Getenv("PATH"))

	t.Run("types", func(t *testing.T) {
		// Of the oldest Python too, whose library has less.
		for _, version := range []string{"3.10", "3.13"} {
			run(t, published+"python", env, python, "-m", "mypy", "--strict", "--no-incremental", "--python-version", version, "clientintel")
		}
	})
	t.Run("models are the contract's", func(t *testing.T) {
		made := filepath.Join(t.TempDir(), "models.py")
		run(t, "../../../..", env, "sh", published[len("../../../../"):]+"python/models.sh", made)
		got, want := read(t, made), read(t, published+"python/clientintel/models.py")
		check.Equal(t, got, want, "models.py is not what models.sh makes of the contract: run it")
	})
	t.Run("conformance", func(t *testing.T) {
		script, err := filepath.Abs("python/conformance.py")
		require.NoError(t, err)
		for mode, key := range brandKeys(t, srv) {
			printed := run(t, installed, append(env, "KEY="+key), python, "-W", "error", script)
			readsTheSame(t, printed, served(t, srv, brandKeys(t, srv)[mode]))
		}
	})
	t.Run("two lines", func(t *testing.T) {
		rows := served(t, srv, brandKeys(t, srv)["canonical"])
		rows["interviews"] = slices.DeleteFunc(rows["interviews"], func(row map[string]any) bool {
			return row["created_at"].(string) < movedWithTheDemo("2026-01-01") // the example's date_from
		})
		printed := run(t, installed, append(env, "CLIENTINTEL_KEY="+brandKeys(t, srv)["canonical"]), "sh", "-ec",
			regexp.MustCompile("(?m)^pip .*$").ReplaceAllString(blocksOf(t, "../../../../docs/clients.md")[0].text, ""))
		for label, nps := range npsByCampaign(rows) {
			if !regexp.MustCompile(`(?m)^` + label + ` +` + regexp.QuoteMeta(fmt.Sprintf("%.6f", nps)) + ` `).MatchString(printed) {
				t.Errorf("%s has not %.6f:\n%s", label, nps, printed)
			}
		}
	})
	t.Run("notebook", func(t *testing.T) {
		var notebook struct {
			Cells []struct {
				Type   string `json:"cell_type"`
				Source []string
			}
		}
		require.NoError(t, json.Unmarshal([]byte(read(t, "../../../../openapi/connectors/notebook/nps.ipynb")), &notebook))
		program := "import matplotlib\nmatplotlib.use('Agg')\n"
		for _, cell := range notebook.Cells {
			if cell.Type == "code" {
				program += strings.Join(cell.Source, "") + "\n"
			}
		}
		program += "import matplotlib.pyplot as plt\nprint(sum(axes.has_data() for n in plt.get_fignums() for axes in plt.figure(n).axes), 'charts')"
		check.Equal(t, run(t, installed, env, python, "-c", program), "4 charts\n", "the notebook")
	})
	t.Run("README", func(t *testing.T) {
		folder := t.TempDir()
		for i, b := range blocksOf(t, published+"python/README.md") {
			switch {
			case b.tag == "sh" && (strings.Contains(b.text, "pip install") || strings.Contains(b.text, "export ")):
			case b.tag == "sh":
				run(t, folder, env, "sh", "-ec", b.text)
			default:
				file := filepath.Join(folder, "block.py")
				require.NoError(t, os.WriteFile(file, []byte(b.text), 0o600))
				if printed := run(t, folder, env, python, file); printed == "" {
					t.Errorf("block %d prints nothing:\n%s", i, b.text)
				}
			}
		}
	})
}

// npsByCampaign counts the scores as they are served, by the campaign's name.
func npsByCampaign(rows walk) map[string]float64 {
	scores, nps := map[any][]float64{}, map[string]float64{}
	for _, interview := range rows["interviews"] {
		if score, given := interview["nps_score"].(float64); given {
			scores[interview["conversation_goal_id"]] = append(scores[interview["conversation_goal_id"]], score)
		}
	}
	for _, campaign := range rows["campaigns"] {
		given, balance := scores[campaign["id"]], 0
		for _, score := range given {
			switch {
			case score >= 9:
				balance++
			case score < 7:
				balance--
			}
		}
		if len(given) > 0 {
			nps[campaign["display_name"].(string)] = 100 * float64(balance) / float64(len(given))
		}
	}
	return nps
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}
