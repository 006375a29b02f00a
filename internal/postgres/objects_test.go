package postgres_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/test/dbtest"
)

// harms are the ways in which an object is taken away or changed.
func harms(o postgres.Object) []string {
	name, table, _ := strings.Cut(o.Name, " on ")
	switch o.Kind {
	case "function":
		return []string{"DROP FUNCTION " + o.Name, "ALTER FUNCTION " + o.Name + " SET search_path = nowhere"}
	case "view":
		return []string{"ALTER VIEW " + o.Name + " RESET (security_invoker)"}
	case "row-level security":
		return []string{"ALTER TABLE " + o.Name + " ENABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY", "ALTER TABLE " + o.Name + " DISABLE ROW LEVEL SECURITY"}
	case "policy":
		return []string{"DROP POLICY " + o.Name, "ALTER POLICY " + o.Name + " USING (false)"}
	case "trigger":
		return []string{"DROP TRIGGER " + o.Name, "ALTER TABLE " + table + " DISABLE TRIGGER " + name, "ALTER TABLE " + table + " ENABLE TRIGGER " + name}
	case "constraint":
		return []string{"ALTER TABLE " + table + " DROP CONSTRAINT " + name}
	case "index":
		return []string{"DROP INDEX " + o.Name}
	case "grant":
		grantee := strings.TrimPrefix(name, "to ")
		return []string{"REVOKE ALL ON " + table + " FROM " + grantee, "GRANT ALL ON " + table + " TO " + grantee}
	}
	return nil
}

// Every function, policy, trigger, constraint, index and grant that is dropped,
// disabled or changed is named, and repaired.
func TestDamage_OfEachObjectIsFoundAndRepaired(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	d := dbtest.New(t)
	conn := connect(t, d.OwnerURL)
	objects, err := postgres.ReadObjects(ctx, conn)
	if err != nil {
		t.Fatal(err)
	}
	if damage, err := postgres.FindDamage(ctx, conn); err != nil || len(damage) > 0 {
		t.Fatalf("a migrated database: %v, %v", damage, err)
	}
	tried := map[string]int{}
	for _, o := range objects {
		harmed := 0
		for _, harm := range harms(o) {
			// What others depend on cannot be dropped; what is not granted is not revoked.
			if _, err := conn.Exec(ctx, harm, pgx.QueryExecModeSimpleProtocol); err != nil {
				continue
			}
			damage, err := postgres.FindDamage(ctx, conn)
			if err != nil {
				t.Fatalf("after %s: %v", harm, err)
			}
			if len(damage) == 0 {
				continue // it was so before
			}
			harmed++
			tried[o.Kind]++
			if !slices.ContainsFunc(damage, func(found postgres.Object) bool { return found.String() == o.String() }) {
				t.Errorf("after %s %v is found, and not %s", harm, damage, o)
			}
			if _, err := postgres.Repair(ctx, conn); err != nil {
				t.Fatalf("after %s: %v", harm, err)
			}
			if damage, err := postgres.FindDamage(ctx, conn); err != nil || len(damage) > 0 {
				t.Fatalf("after %s and the repair: %v, %v", harm, damage, err)
			}
		}
		if harmed == 0 && o.Kind != "column" && o.Kind != "constraint" && !strings.HasSuffix(o.Name, " on SCHEMA public") {
			t.Errorf("nothing harms %s", o)
		}
	}
	for kind, least := range map[string]int{"function": 30, "view": 6, "policy": 20, "trigger": 20, "constraint": 30, "index": 15, "grant": 60, "row-level security": 10} {
		if tried[kind] < least {
			t.Errorf("%d harms of a %s were tried, want %d at least", tried[kind], kind, least)
		}
	}
}

// A policy that no migration makes lets rows through: it is named and dropped.
func TestDamage_AnotherPolicyIsDropped(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	conn := connect(t, d.OwnerURL)
	d.Exec(t, "CREATE POLICY all_of_it ON interviews FOR SELECT USING (true)")
	repaired, err := postgres.Repair(t.Context(), conn)
	if err != nil || len(repaired) != 1 || repaired[0].String() != "policy all_of_it on interviews" {
		t.Errorf("repaired %v, %v", repaired, err)
	}
}

// What a column held is in no migration.
func TestDamage_ALostColumnIsReportedAndNotMade(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	conn := connect(t, d.OwnerURL)
	d.Exec(t, "ALTER TABLE lanes RENAME COLUMN display_name TO other")
	if _, err := postgres.Repair(t.Context(), conn); err == nil || !strings.Contains(err.Error(), "column lanes.display_name is missing or another: only a backup") {
		t.Errorf("repairing: %v", err)
	}
}
