package importer

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// Down to PostgreSQL, whatever a file holds: it is imported whole, or nothing of
// it is and the error says which line and why. What the parser takes the
// database takes; a file that was imported and comes again changes nothing.
func FuzzImport(f *testing.F) {
	d := setup(f)
	var start []string
	reset := func(t testing.TB) {
		d.Exec(t, `DELETE FROM portal_documents; DELETE FROM measurement_snapshots; DELETE FROM synthesis_documents; DELETE FROM interviews;
			DELETE FROM lanes; DELETE FROM campaigns; DELETE FROM api_keys WHERE prefix <> ''; DELETE FROM clients; DELETE FROM record_owners; DELETE FROM measurement_changes`)
		d.mustImport(t, client(""))
		start = d.dump(t)
	}
	reset(f)
	for _, file := range []string{
		interview(`,"transcript":[{"a":"\ud83d\ude00"}],"nps_score":9.50,"best_quote":"\u00e9","duration_seconds":1e300`),
		campaign(`,"slug":"x","key_questions":[{"id":"a","question":"b"}]`) + "\n" + interview(`,"conversation_goal_id":"22222222-0000-4000-8000-000000000001"`),
		interview(`,"conversation_goal_id":"22222222-0000-4000-8000-000000000001"`), interview(`,"raw_extraction":{"a":-1.5e-16382}`), interview("") + "\n" + interview(`,"is_test":true`),
		portal(`,"body":{"schema":"home.v1","measurement_integrit":1},"feed_date":"2026-03-01"`), portal(`,"feed_date":"0001-01-01"`), portal(`,"feed_date":"9999-12-31"`),
		snapshot(""), client(`,"measurement_mode":"legacy"`), client(`,"measurement_mode":"canonical","measurement_contract_version":"x"`),
		`{"op":"delete","kind":"client","client_id":"` + acme + `","id":"` + acme + `"}`,
		`{"op":"delete","kind":"interview","client_id":"` + acme + `","id":"11111111-0000-4000-8000-000000000001"}`,
	} {
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file string) {
		_, err := Import(context.Background(), d.conn, Options{}, Stream("the input", strings.NewReader(file)))
		after := d.dump(t)
		if err != nil {
			bad, ok := errors.AsType[LineErrors](err)
			if !errors.Is(err, ErrIncomplete) && (!ok || bad[0].Line < 1 || bad[0].Reason == "") {
				t.Fatalf("%q: %v names no line", file, err)
			}
			if diff := difference(start, after); diff != "" {
				t.Fatalf("%q is refused and left something behind:\n%s", file, diff)
			}
			return
		}
		defer reset(t)
		d.wantTrueTotals(t)
		if strings.Contains(file, "delete") {
			return // what is gone cannot be deleted again, nor referred to
		}
		d.mustImport(t, file)
		if diff := difference(after, d.dump(t)); diff != "" {
			t.Fatalf("%q imported again changed something:\n%s", file, diff)
		}
	})
}
