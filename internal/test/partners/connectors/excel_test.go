//go:build partners

package connectors_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/partners/partnerserver"
	"github.com/clientintel/clientintel/internal/test/require"
)

// The workbook has the query that workbook.mjs makes of the scripts, and the query loads
// what the database holds. Excel itself runs nowhere but on its own systems.
func TestExcel_TheWorkbooksQueryLoadsTheInterviews(t *testing.T) {
	srv, seed := partnerserver.Start(t, 600, window)
	query := queryIn(t, offered+"excel/interviews.xlsx")
	made := filepath.Join(t.TempDir(), "made.xlsx")
	if _, stderr, exit := packages.Run(t, "workbook.mjs", made); exit != 0 {
		t.Fatal(stderr)
	}
	check.Equal(t, query, queryIn(t, made), "interviews.xlsx is stale: run workbook.mjs")
	for from, to := range map[string]string{
		"https://clientintel.example.com": srv.URL, "cik_your_key": srv.KeyFor(t, brand, auth.Default()...),
		`date_from = "2026-01-01"`: `date_from = "2000-01-01"`,
	} {
		check.Equal(t, strings.Count(query, from), 1, "occurrences of", from)
		query = strings.ReplaceAll(query, from, to)
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "interviews.pq"), []byte(query), 0o600))
	stdout, stderr, exit := packages.Run(t, "powerquery/run.mjs", dir, "interviews")
	var found report
	if err := json.Unmarshal([]byte(stdout), &found); err != nil || exit != 0 {
		t.Fatalf("%v: %s", err, stderr)
	}
	if want := held(t, seed)["interviews"]; len(found.Rows) != len(want) {
		t.Errorf("it loads %d interviews of %d", len(found.Rows), len(want))
	}
}

// queryIn reads the one query of a workbook: base64 of a version, a length and a zip, in
// an XML file in UTF-16.
func queryIn(t *testing.T, path string) string {
	t.Helper()
	workbook, err := os.ReadFile(path)
	require.NoError(t, err)
	utf := fileIn(t, workbook, "customXml/item1.xml")
	units := make([]uint16, len(utf)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(utf[2*i:])
	}
	encoded := regexp.MustCompile(`>([\w+/=]+)</DataMashup>`).FindStringSubmatch(string(utf16.Decode(units)))
	if encoded == nil {
		t.Fatal("the workbook has no query")
	}
	mashup, err := base64.StdEncoding.DecodeString(encoded[1])
	require.NoError(t, err)
	section := string(fileIn(t, mashup[8:8+binary.LittleEndian.Uint32(mashup[4:])], "Formulas/Section1.m"))
	_, query, found := strings.Cut(section, `shared #"interviews" = `)
	if !found {
		t.Fatalf("another query: %s", section)
	}
	return strings.TrimSuffix(strings.TrimSpace(query), ";")
}

func fileIn(t *testing.T, archive []byte, name string) []byte {
	t.Helper()
	opened, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	require.NoError(t, err)
	file, err := opened.Open(name)
	require.NoError(t, err)
	content, err := io.ReadAll(file)
	require.NoError(t, err)
	return content
}
