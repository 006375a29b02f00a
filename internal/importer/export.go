package importer

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Export writes a client's records as an import takes them, of one moment, with the
// trailer; with its keys also those and what is logged of their last hour, which is
// the limiter's window. It returns how many records it wrote.
func Export(ctx context.Context, conn *pgx.Conn, client uuid.UUID, withKeys bool, to io.Writer) (int64, error) {
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return 0, fmt.Errorf("exporting: %w", err)
	}
	defer rollback(conn, tx)
	if _, err := tx.Exec(ctx, writtenAsImported); err != nil {
		return 0, fmt.Errorf("exporting: %w", err)
	}
	out := bufio.NewWriterSize(to, 256<<10)
	exported := kinds
	if withKeys {
		exported = allKinds
	}
	var lines int64
	for _, k := range exported {
		n, err := exportRows(ctx, tx, out, k.exportQuery(), client)
		if err != nil {
			return 0, fmt.Errorf("exporting %s: %w", k.table, err)
		}
		lines += n
	}
	fmt.Fprintf(out, `{"kind":%q,"lines":%d}`+"\n", trailerKind.name, lines)
	return lines, out.Flush()
}

// writtenAsImported makes JSON of the database's values as import takes them.
const writtenAsImported = `SELECT set_config(s.name, s.value, true)
	FROM (VALUES ('TimeZone', 'UTC'), ('DateStyle', 'ISO'), ('extra_float_digits', '1'), ('bytea_output', 'hex'),
		('statement_timeout', '0'), ('transaction_timeout', '0'), ('idle_in_transaction_session_timeout', '0')) AS s (name, value)
	JOIN pg_settings AS p ON p.name = s.name`

// exportQuery makes a line of each record of a client, in the order of their ids: equal
// contents give equal bytes.
func (k *kind) exportQuery() string {
	fields := []string{fmt.Sprintf("'%s' AS kind", k.name)}
	for _, c := range k.columns {
		switch {
		case c.field == "":
		case k == apiKeyKind && c.name == "secret_hash":
			fields = append(fields, fmt.Sprintf("encode(t.%s, 'hex') AS %s", c.name, c.field))
		default:
			fields = append(fields, fmt.Sprintf("t.%s AS %s", c.name, c.field))
		}
	}
	where, order := "t."+k.columns[0].name+" = $1", "t."+k.columns[1].name
	if k == requestLogKind {
		where, order = where+" AND t.at > clock_timestamp() - interval '1 hour'", order+", t.at, t.seq"
	}
	return fmt.Sprintf("SELECT row_to_json(r)::text FROM (SELECT %s FROM %s AS t WHERE %s ORDER BY %s) AS r", strings.Join(fields, ", "), k.table, where, order)
}

// exportRows writes the rows of a query that makes a JSON text of each.
func exportRows(ctx context.Context, tx pgx.Tx, out *bufio.Writer, query string, client uuid.UUID) (int64, error) {
	rows, _ := tx.Query(ctx, query, client) // rows.Err returns its error
	defer rows.Close()
	var lines int64
	for rows.Next() {
		line := jsontext.Value(slices.Clone(rows.RawValues()[0]))
		// PostgreSQL puts blanks into JSON, which could make a value too long.
		if err := line.Compact(); err != nil {
			return lines, err
		}
		if _, err := fmt.Fprintf(out, "%s\n", line); err != nil {
			return lines, err
		}
		lines++
	}
	return lines, rows.Err()
}
