package corpus

import (
	"strings"
	"testing"
	"testing/fstest"
)

// A misspelt field or a text that was lost would only make the demo poorer.
func TestDecodeTexts_RefusesWhatIsUnknownAndWhatIsMissing(t *testing.T) {
	t.Parallel()
	const whole = "complaints: [{text: It broke., pain_point: broke}]\npraises: [It held.]\n"
	for name, c := range map[string]struct{ text, want string }{
		"whole":         {whole, ""},
		"unknown field": {whole + "praise: [It held.]\n", "field praise not found"},
		"missing list":  {strings.TrimSuffix(whole, "praises: [It held.]\n"), ".Praises is missing"},
		"missing text":  {strings.Replace(whole, "broke}", `""}`, 1), ".Complaints[0].PainPoint is missing"},
		"no YAML":       {"]", "did not find expected node content"},
	} {
		files := fstest.MapFS{"texts/en.yaml": {Data: []byte(c.text)}}
		var got themeTexts
		err := decodeTexts(files, "en.yaml", &got)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got error %v, want %q", name, err, c.want)
		}
	}
	if err := decodeTexts(fstest.MapFS{}, "en.yaml", &themeTexts{}); err == nil {
		t.Error("a missing file is no error")
	}
}
