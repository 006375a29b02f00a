//go:build partners && clientintel_testing

package sdks_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/clientintel/clientintel/internal/test/partners/partnerserver"
)

func TestPython(t *testing.T) {
	s := startMatrix(t)
	r := tour{env: s.env}
	folder := t.TempDir()
	bin := partnerserver.Python(t, "python/requirements.txt")
	// The generator calls its formatter by name.
	r.env = append(r.env, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	copied(t, "python", folder, "tour.py")
	_, made := r.run(t, folder, filepath.Join(bin, "openapi-python-client"), "generate", "--path", s.document(false),
		"--meta", "none", "--output-path", "made", "--fail-on-warning")
	_, compiled := r.run(t, folder, filepath.Join(bin, "python"), "-W", "error", "-m", "compileall", "-q", "made", "tour.py")
	explained(t, "python", made+"\n"+compiled)
	printed, _ := r.run(t, folder, filepath.Join(bin, "python"), "-W", "error", "tour.py")
	s.compare(t, printed, nil)
}
