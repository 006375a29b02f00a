package isolation

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/apitest"
)

// What a key may not see does not leave the database for it: each gated column is read with
// its scope only, in the list and in the detail.
func TestIsolation_GatedColumnsAreReadWithTheirScope(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	const size = 100_000
	long := strings.Repeat("x", size)
	text, _ := json.Marshal(map[string]string{"text": long})
	id := seed.Interview(t, "acme", apitest.Fields{
		"participant_email": long, "transcript": json.RawMessage("[" + string(text) + "]"), "custom_extraction": json.RawMessage(text), "raw_extraction": json.RawMessage(text),
	})
	counter, counted := startQueryCounter(t, srv.Database.ServerURL)
	srv.Database.ServerURL = counted
	srv.URL = srv.StartAnother(t)
	list := "/api/client/v1/interviews"
	for _, gated := range []auth.Scope{"", auth.ReadCustomerIdentity, auth.ReadTranscripts, auth.ReadCustomExtraction, auth.ReadRawExtraction} {
		key := srv.Issue(t, apikey.Request{Client: "acme", Name: string(gated), Scopes: append(auth.Default(), gated)[:3+min(len(gated), 1)]}).Key
		for path, columns := range map[string]int64{list: 1, list + "/" + id: 1} {
			if gated == "" || gated == auth.ReadRawExtraction && path == list {
				columns = 0
			}
			before := counter.bytes.Load()
			srv.Get(t, path, key).WantStatus(t, 200)
			if read := counter.bytes.Load() - before; read < columns*size || read > columns*size+size/2 {
				t.Errorf("%s with the scope %q reads %d bytes of the database, want %d columns", path, gated, read, columns)
			}
		}
	}
}
