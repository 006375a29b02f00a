package web_test

import (
	"crypto/sha512"
	"encoding/base64"
	"testing"

	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/web"
)

// A browser runs the chart library only if it has the hash that the page names.
func TestExplorer_NamesTheHashOfTheChartLibrary(t *testing.T) {
	t.Parallel()
	bodies := map[string]string{}
	for _, f := range web.Explorer() {
		if f.ContentType == "" || len(f.Body) == 0 {
			t.Errorf("%s is empty or has no type", f.Path)
		}
		bodies[f.Path] = string(f.Body)
	}
	sum := sha512.Sum384([]byte(bodies["/explore/assets/chart.umd.min.js"]))
	want := `src="explore/assets/chart.umd.min.js" integrity="sha384-` + base64.StdEncoding.EncodeToString(sum[:]) + `"`
	check.Contains(t, bodies["/explore"], want, "the page")
}
