package importer

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
)

func (d *database) export(t *testing.T) string {
	t.Helper()
	var out bytes.Buffer
	if _, err := Export(t.Context(), d.conn, uuid.MustParse(acme), false, &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// A record of each way in which its export is longer than its line, as long as import
// takes it: the export is imported too, and holds the same.
func TestWhatIsImportedCanBeExportedAndImported(t *testing.T) {
	t.Parallel()
	listOf := func(n int, piece string) string {
		return `{"a":[` + strings.TrimSuffix(strings.Repeat(piece+",", n), ",") + `]}`
	}
	const aroundList = len(`{"a":[]}`) - 1
	version := strings.Repeat(`\u0001`, 200)
	for name, lines := range map[string]func(more int) []string{
		"fields that are left out, and times": func(more int) []string {
			return []string{interview(`,"duration_seconds":1e22,"best_quote":"` + strings.Repeat("x", maxValues+more) + `"`)}
		},
		"blanks": func(more int) []string {
			piece := `"` + strings.Repeat("x", 998) + `"`
			return []string{interview(`,"custom_extraction":` + listOf((maxValues-aroundList)/(len(piece)+1)+more, piece))}
		},
		"a version that an earlier line gave": func(more int) []string {
			return []string{
				client(`,"measurement_mode":"canonical","measurement_contract_version":"` + version + `"`),
				strings.Replace(client(""), `"Acme"`, `"`+strings.Repeat("x", maxValues+more)+`"`, 1),
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			from, to := setup(t), setup(t)
			from.mustImport(t, append([]string{client("")}, lines(0)...)...)
			if err := parseOnly(strings.Join(lines(1), "\n")); err == nil {
				t.Error("the records are not at the limit")
			}
			exported := from.export(t)
			to.mustImport(t, exported)
			if to.export(t) != exported {
				t.Error("the export of the export differs")
			}
			if diff := difference(from.dump(t), to.dump(t)); diff != "" {
				t.Errorf("the export holds something else:\n%.2000s", diff)
			}
		})
	}
}

// Equal contents give equal bytes, whatever the order in which they were written.
func TestExport_IsOrdered(t *testing.T) {
	t.Parallel()
	one, other := setup(t), setup(t)
	one.mustImport(t, everything...)
	for _, line := range slices.Backward(everything) {
		if !strings.Contains(line, `"kind":"client"`) {
			line = everything[0] + "\n" + everything[1] + "\n" + strings.Join(slices.Concat(everything[2:7], everything[13:], []string{line}), "\n")
		}
		other.mustImport(t, line)
	}
	if got, want := other.export(t), one.export(t); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Numbers are counted at least as long as the database writes them.
func TestNumbersAreCountedAsTheDatabaseWritesThem(t *testing.T) {
	t.Parallel()
	d := setup(t)
	r := rand.New(rand.NewPCG(1, 2))
	numbers := []string{"0", "-0", "-0.0", "0e-9", "-1e-9", "1e9", "1.50e1", "-12.345e-6", "12.345E+2", "100e-2", "1e399", "-1e-399"}
	for range 300 {
		number := fmt.Sprint(r.IntN(1000) - 500)
		if r.IntN(2) == 0 {
			number += fmt.Sprintf(".%0*d", 1+r.IntN(5), r.IntN(10))
		}
		if r.IntN(2) == 0 {
			number += fmt.Sprintf("e%d", r.IntN(60)-30)
		}
		numbers = append(numbers, number)
	}
	rows := d.strings(t, "SELECT n::jsonb::text FROM unnest($1::text[]) WITH ORDINALITY AS n (n, at) ORDER BY at", numbers)
	for n, number := range numbers {
		if _, length := writtenOut([]byte(number)); length < len(rows[n]) {
			t.Errorf("%s is counted as %d bytes, the database writes %s", number, length, rows[n])
		}
	}
}
