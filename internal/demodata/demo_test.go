package demodata_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/demodata"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
)

func demo(t *testing.T, now time.Time) string {
	t.Helper()
	var file bytes.Buffer
	require.NoError(t, demodata.Demo(&file, now))
	return file.String()
}

var date = regexp.MustCompile(`"\d{4}-\d\d-\d\d`)

// On any day the same records are there, none of them in the future and the latest of that
// day or the one before.
func TestDemo_IsOfThePresent(t *testing.T) {
	t.Parallel()
	written := date.ReplaceAllString(demo(t, demodata.AsOf()), "")
	hash := regexp.MustCompile(`"scope_hash":"[0-9a-f]{64}"`) // of a daily feed it has the day
	for _, now := range []string{"2026-11-20T12:00:00Z", "2026-11-21T11:59:59Z", "2027-01-01T00:00:00Z", "2028-02-29T23:59:59Z", "2026-11-19T18:00:00Z"} {
		at, err := time.Parse(time.RFC3339, now)
		require.NoError(t, err)
		text := demo(t, at)
		check.Equal(t, hash.ReplaceAllString(date.ReplaceAllString(text, ""), ""), hash.ReplaceAllString(written, ""), now)
		var latest time.Time
		for line := range strings.Lines(text) {
			var record struct {
				Kind      string
				CreatedAt time.Time `json:"created_at"`
			}
			require.NoError(t, json.Unmarshal([]byte(line), &record))
			if record.Kind == "interview" && record.CreatedAt.After(latest) {
				latest = record.CreatedAt
			}
		}
		if latest.After(at) || at.Sub(latest) > 48*time.Hour {
			t.Errorf("%s: the latest interview is of %s", now, latest)
		}
	}
}

// Nobody who imports the demo may ever write to a real person.
func TestDemo_MailGoesToReservedDomainsOnly(t *testing.T) {
	t.Parallel()
	addresses := regexp.MustCompile(`[\w.+-]+@([\w.-]+)`).FindAllStringSubmatch(demo(t, demodata.AsOf()), -1)
	if len(addresses) < 100 {
		t.Fatalf("%d addresses", len(addresses))
	}
	reserved := regexp.MustCompile(`^(.+\.)?(example(\.(com|org|net))?|test)$`) // RFC 2606
	for _, address := range addresses {
		if !reserved.MatchString(strings.TrimRight(address[1], ".")) {
			t.Errorf("%s is nobody's example", address[0])
		}
	}
}
