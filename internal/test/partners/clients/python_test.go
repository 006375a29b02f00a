//go:build partners && clientintel_testing

package clients_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/test/partners/partnerserver"
)

func TestPython(t *testing.T) {
	programs := partnerserver.Python(t, "python/requirements.txt")
	python := filepath.Join(programs, "python")
	// The wheel, in a folder that stands before everything else.
	installed := t.TempDir()
	wheels, err := filepath.Glob(filepath.Join(dist(t), "*.whl"))
	if err != nil || len(wheels) != 1 {
		t.Fatalf("wheels %v, %v", wheels, err)
	}
	run(t, installed, nil, python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", installed, wheels[0])
	srv, env := start(t)
	env = append(env, "PYTHONPATH="+installed, "PATH="+programs+string(os.PathListSeparator)+os.Getenv("PATH"))

	t.Run("types", func(t *testing.T) {
		run(t, published+"python", env, python, "-m", "mypy", "--strict", "--no-incremental", "clientintel")
	})
	t.Run("models are the contract's", func(t *testing.T) {
		made := filepath.Join(t.TempDir(), "models.py")
		run(t, "../../../..", env, "sh", published[len("../../../../"):]+"python/models.sh", made)
		got, want := read(t, made), read(t, published+"python/clientintel/models.py")
		if got != want {
			t.Error("models.py is not what models.sh makes of the contract: run it")
		}
	})
	t.Run("conformance", func(t *testing.T) {
		script, err := filepath.Abs("python/conformance.py")
		if err != nil {
			t.Fatal(err)
		}
		for mode, key := range brandKeys(t, srv) {
			printed := run(t, installed, append(env, "KEY="+key), python, "-W", "error", script)
			readsTheSame(t, printed, served(t, srv, brandKeys(t, srv)[mode]))
		}
	})
	t.Run("two lines", func(t *testing.T) {
		folder := t.TempDir()
		run(t, folder, nil, "python3", "-m", "venv", "venv")
		if err := os.Mkdir(filepath.Join(folder, "dist"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(wheels[0], filepath.Join(folder, "dist", filepath.Base(wheels[0]))); err != nil {
			t.Fatal(err)
		}
		own := []string{
			"CLIENTINTEL_URL=" + srv.URL, "CLIENTINTEL_KEY=" + brandKeys(t, srv)["canonical"],
			"PATH=" + filepath.Join(folder, "venv/bin") + string(os.PathListSeparator) + os.Getenv("PATH"),
		}
		printed := run(t, folder, own, "sh", "-ec", blocksOf(t, "../../../../docs/clients.md")[0].text)
		for slug, nps := range npsByCampaign(served(t, srv, brandKeys(t, srv)["canonical"])) {
			if !regexp.MustCompile(`(?m)^` + slug + ` +` + regexp.QuoteMeta(fmt.Sprintf("%.2f", nps)) + `$`).MatchString(printed) {
				t.Errorf("%s has not %.2f:\n%s", slug, nps, printed)
			}
		}
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
				if err := os.WriteFile(file, []byte(b.text), 0o600); err != nil {
					t.Fatal(err)
				}
				if printed := run(t, folder, env, python, file); printed == "" {
					t.Errorf("block %d prints nothing:\n%s", i, b.text)
				}
			}
		}
	})
}

// npsByCampaign counts the scores as they are served, by the campaign's slug.
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
			nps[campaign["slug"].(string)] = 100 * float64(balance) / float64(len(given))
		}
	}
	return nps
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
