package importer

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
)

// replacing imports lines in place of what clients have.
func (d *database) replacing(ctx context.Context, r Replacement, lines ...string) (Summary, error) {
	return Import(ctx, d.conn, Options{Replace: &r}, Stream("the input", strings.NewReader(strings.Join(lines, "\n")+"\n"+fmt.Sprintf(`{"kind":"end","lines":%d}`, len(lines)))))
}

// of are the lines of everything that belong to a client.
func linesOfClient(client string) []string {
	var found []string
	for _, line := range everything {
		if strings.Contains(line, client) {
			found = append(found, line)
		}
	}
	return found
}

// What the input lacks is gone from what readers see, with its search document and
// its share of the total; what other clients have, and keys, stay.
func TestAReplacementRemovesTheRest(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.mustImport(t, everything...)
	d.Exec(t, `INSERT INTO api_keys (prefix, id, client_id, name, secret_hash, scopes)
		VALUES ('abcdefghijkl', '77777777-0000-4000-8000-000000000001', '`+acme+`', 'x', sha256('x'), '{}')`)
	others := d.strings(t, "SELECT t::text FROM interviews AS t WHERE client_id <> $1", acme)
	var lines []string
	for _, line := range linesOfClient(acme) {
		if !strings.Contains(line, `"kind":"interview"`) || strings.Contains(line, someone) {
			lines = append(lines, line)
		}
	}
	lines = append(lines, strings.Replace(interview(`,"reportable":true,"client_safe":true`), someone, "11111111-0000-4000-8000-0000000000aa", 1))
	lines[0] = strings.Replace(lines[0], `"Acme"`, `"Acme Ltd"`, 1)
	sum, err := d.replacing(t.Context(), Replacement{Clients: []string{"acme"}}, lines...)
	require.NoError(t, err)
	want := []KindSummary{
		{Kind: "client", Changed: 1}, {Kind: "campaign", Unchanged: 2}, {Kind: "lane", Unchanged: 1},
		{Kind: "interview", Added: 1, Unchanged: 1, Removed: 1},
		{Kind: "synthesis_document", Unchanged: 1}, {Kind: "portal_document", Unchanged: 1}, {Kind: "measurement_snapshot", Unchanged: 1},
	}
	check.DeepEqual(t, sum.Kinds, want)
	d.wantTrueTotals(t)
	d.want(t, "count(*)", "search_documents WHERE client_id = '"+acme+"'", "2")
	d.want(t, "count(*)", "api_keys WHERE client_id = '"+acme+"'", "1")
	check.Equal(t, difference(others, d.strings(t, "SELECT t::text FROM interviews AS t WHERE client_id <> $1", acme)), "", "another client's interviews changed")

	// Nothing of her is left, but herself and the register of ids.
	all, err := ParseLimit("100%")
	require.NoError(t, err)
	_, err = d.replacing(t.Context(), Replacement{Clients: []string{acme}, MaxRemoved: map[string]Limit{"": all}})
	require.NoError(t, err)
	d.wantTrueTotals(t)
	for _, k := range kinds[1:] {
		d.want(t, "count(*)", k.table+" WHERE client_id = '"+acme+"'", "0")
	}
	d.want(t, "count(*)", "record_owners WHERE client_id = '"+acme+"' AND kind = 'interview'", "3")
}

// Kinds that are not named stay, and refer to nothing that is removed.
func TestAReplacementOfSomeKinds(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.mustImport(t, everything...)
	all := map[string]Limit{"": {number: 100, percent: true}}
	lines := []string{client(""), strings.Replace(interview(""), someone, "11111111-0000-4000-8000-0000000000aa", 1)}
	sum, err := d.replacing(t.Context(), Replacement{Clients: []string{acme}, Kinds: []string{"interview"}, MaxRemoved: all}, lines...)
	require.NoError(t, err)
	if want := []KindSummary{{Kind: "client", Unchanged: 1}, {Kind: "interview", Added: 1, Removed: 2}}; !reflect.DeepEqual(sum.Kinds, want) {
		t.Errorf("got %+v, want %+v", sum.Kinds, want)
	}
	d.wantTrueTotals(t)
	_, err = d.replacing(t.Context(), Replacement{Clients: []string{acme}, Kinds: []string{"lane"}, MaxRemoved: all}, client(""))
	if want := "lane.id: " + retention + " cannot be deleted: synthesis_document " + synthesis + " still refers to it"; err == nil || withoutRecord(err) != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	// A limit of its own for one kind.
	_, err = d.replacing(t.Context(), Replacement{Clients: []string{acme}, Kinds: []string{"portal_document", "lane"}, MaxRemoved: map[string]Limit{"portal_document": all[""]}}, client(""))
	if !errors.Is(err, ErrTooManyRemoved) || !strings.Contains(err.Error(), "1 of 1 records of kind lane") || strings.Contains(err.Error(), "portal") {
		t.Errorf("got %v", err)
	}
}

func TestAReplacementRefuses(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.mustImport(t, everything...)
	before := d.dump(t)
	for _, c := range []struct {
		lines []string
		want  string
	}{
		{[]string{linesOfClient(globex)[0]}, "line 1: client.id: must be a client whose records are replaced, not " + globex},
		{[]string{interview(""), strings.Replace(interview(""), acme, globex, 1)}, "line 2: interview.client_id: must be a client whose records are replaced, not " + globex},
		{[]string{deleteLine("interview", someone)}, "line 1: op: must be left out: an input that replaces a client's records removes what it does not hold"},
		// Its campaign would go.
		{[]string{interview(ofCampaign)}, "line 1: interview.conversation_goal_id: client " + acme + " has no campaign " + onboarding},
	} {
		_, err := d.replacing(t.Context(), Replacement{Clients: []string{"acme"}}, c.lines...)
		if err == nil || withoutRecord(err) != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
	if _, err := d.replacing(t.Context(), Replacement{Clients: []string{"nobody"}}); err == nil ||
		err.Error() != `nothing was imported: there is no client "nobody": name one that is not there yet by its id` {
		t.Errorf("an unknown client: %v", err)
	}
	d.wantSame(t, before)
	// A client that is not there yet is named by its id.
	const fresh = "cccccccc-0000-4000-8000-000000000001"
	if _, err := d.replacing(t.Context(), Replacement{Clients: []string{fresh}}, `{"kind":"client","id":"`+fresh+`","slug":"fresh","name":"Fresh"}`); err != nil {
		t.Errorf("a new client: %v", err)
	}
}

// An input that lacks much is likely not whole. The stored records count as they
// were before it, however many it adds.
func TestAReplacementRemovesNoMoreThanItMay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		stored, removed int
		max             string
		refused         bool
	}{
		{30, 3, "10%", false}, {30, 4, "10%", true}, {9, 1, "10%", false}, {9, 2, "10%", true}, {1, 1, "10%", true}, {30, 1, "0%", true},
		{30, 30, "100%", false}, {30, 30, "99%", true}, {30, 21, "21", false}, {30, 21, "20", true}, {3, 3, "500", true}, {2, 1, "0", true},
	} {
		t.Run(fmt.Sprintf("%d of %d within %s", c.removed, c.stored, c.max), func(t *testing.T) {
			t.Parallel()
			d := setup(t)
			numbered := func(series string, n int) []string {
				var lines []string
				for i := range n {
					lines = append(lines, strings.Replace(interview(""), someone, fmt.Sprintf("%s-0000-4000-8000-%012d", series, i), 1))
				}
				return lines
			}
			stored := numbered("12121212", c.stored)
			d.mustImport(t, append([]string{client("")}, stored...)...)
			limit, err := ParseLimit(c.max)
			require.NoError(t, err)
			before := d.dump(t)
			_, err = d.replacing(t.Context(), Replacement{Clients: []string{acme}, MaxRemoved: map[string]Limit{"": limit}}, append(stored[c.removed:], numbered("13131313", 400)...)...)
			if errors.Is(err, ErrTooManyRemoved) != c.refused || err != nil && !c.refused {
				t.Fatalf("got %v, want it refused: %v", err, c.refused)
			}
			if !c.refused {
				return
			}
			want := fmt.Sprintf("nothing was imported: the input lacks too many of the stored records: %d of %d records of kind interview of client %s, where max-removed is %s; if that is right, raise max-removed (all of a kind go with 100%% only)",
				c.removed, c.stored, acme, c.max)
			if err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
			d.wantSame(t, before)
		})
	}
}

// killer ends a connection's backend before its nth statement.
type killer struct {
	*database
	before int
}

func (k *killer) TraceQueryStart(ctx context.Context, conn *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	if k.before--; k.before == 0 {
		_, _ = k.conn.Exec(ctx, "SELECT pg_terminate_backend($1::integer, 10000)", conn.PgConn().PID())
	}
	return ctx
}
func (k *killer) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (k *killer) TraceBatchStart(ctx context.Context, conn *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return k.TraceQueryStart(ctx, conn, pgx.TraceQueryStartData{})
}
func (k *killer) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}
func (k *killer) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData)     {}

// Before whichever statement a replacement dies (each third is tried, and not COPY, which
// pgx does not trace), nothing has changed.
func TestAReplacementThatIsKilledBeforeAnyStatementChangesNothing(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.mustImport(t, everything...)
	before := d.dump(t)
	config, err := pgx.ParseConfig(d.OwnerURL)
	require.NoError(t, err)
	const statements, most = 30, 200 // fewer would not be all stages, more is no end
	for n := 1; ; n += 3 {
		if n > most {
			t.Fatalf("it dies before statement %d still", most)
		}
		config.Tracer = &killer{database: d, before: n}
		conn, err := pgx.ConnectConfig(t.Context(), config)
		require.NoError(t, err)
		lines := append([]string{client(""), interview(`,"best_quote":"new"`)}, linesOfClient(acme)[1:4]...)
		_, err = (&database{Database: d.Database, conn: conn}).replacing(t.Context(), Replacement{Clients: []string{acme}, MaxRemoved: map[string]Limit{"": {number: 100, percent: true}}}, lines...)
		_ = conn.Close(t.Context())
		if err == nil {
			if n < statements {
				t.Errorf("only %d statements, want %d at least", n, statements)
			}
			break
		}
		d.wantSame(t, before)
	}
	if diff := difference(before, d.dump(t)); diff == "" {
		t.Error("the replacement that lived changed nothing")
	}
	d.wantTrueTotals(t)
}

// The limit of a client's kind comes before that of the kind, and that before the others'.
func TestLimitsAreByClientAndKind(t *testing.T) {
	t.Parallel()
	one, two := uuid.MustParse(acme), uuid.MustParse(globex)
	r := replacing{
		asked:   &Replacement{Clients: []string{"acme", globex}, MaxRemoved: map[string]Limit{"": {number: 1}, "lane": {number: 2}, "acme/lane": {number: 3}}},
		clients: []uuid.UUID{one, two},
	}
	for want, got := range map[Limit]Limit{
		{number: 1}: r.maxRemoved(one, campaignKind), {number: 2}: r.maxRemoved(two, laneKind), {number: 3}: r.maxRemoved(one, laneKind),
	} {
		check.Equal(t, got, want)
	}
}
