package openapi_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
	"github.com/clientintel/clientintel/openapi"
)

func TestJSONAt_ChangesTheServerOnly(t *testing.T) {
	t.Parallel()
	for _, publicURL := range []string{"https://intel.example.com/brand", "https://intel.example.com/brand/"} {
		text, err := openapi.JSONAt(publicURL)
		require.NoError(t, err, publicURL)
		got := decode(t, text).(map[string]any)
		server := got["servers"].([]any)[0].(map[string]any)
		if server["url"] != "https://intel.example.com/brand" {
			t.Errorf("JSONAt(%q) names the server %v", publicURL, server["url"])
		}
		server["url"] = "/"
		check.DeepEqual(t, any(got), decode(t, openapi.JSON()), "changed beyond the server with", publicURL)
	}
}

// written is the contract as people write it.
func written(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile("openapi.yaml")
	require.NoError(t, err)
	return text
}

func decode(t *testing.T, text []byte) any {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	require.NoError(t, decoder.Decode(&value))
	return value
}
