package importer

import (
	"context"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/auth"
)

// allKinds are also what a client's keys need to go on working in another database. Those
// are read only where the operator says so: whoever can write them can mint keys.
var allKinds = slices.Concat(kinds, []*kind{apiKeyKind, requestLogKind})

var apiKeyKind = &kind{
	name: "api_key", withArticle: "an api_key", table: "api_keys", idField: "id",
	columns: []column{
		requiredField("client_id", uuidType),
		requiredField("id", uuidType),
		requiredField("prefix", prefixType),
		requiredField("name", nonEmptyTextType),
		requiredField("secret_hash", hashBytesType),
		requiredField("scopes", scopesType),
		requiredField("created_at", timestampType),
		nullableField("expires_at", timestampType),
		nullableField("revoked_at", timestampType),
		nullableField("last_used_at", timestampType),
	},
}

// A key's place in its window is where its rows of the last hour say. They have no
// id: key, time and number are one.
var requestLogKind = &kind{
	name: "request_log", withArticle: "a request_log", table: "request_log", idField: "key_id",
	columns: []column{
		requiredField("client_id", uuidType),
		requiredField("key_id", uuidType),
		requiredField("at", timestampType),
		requiredField("seq", countType),
		requiredField("route", textType),
	},
}

func (k *kind) ofKeys() bool { return k == apiKeyKind || k == requestLogKind }

var (
	prefixType = textOf("12 letters and digits", regexp.MustCompile(`^[0-9A-Za-z]{12}$`).Match)

	hashBytesType = private(textual(hashType.description, "bytea", func(text []byte) ([]byte, bool) {
		decoded, err := hex.DecodeString(string(text))
		return decoded, err == nil && hash.Match(text)
	}))

	scopesType = listOf("a list of scopes", "a scope", "text[]", func(text []byte) (string, bool) {
		return string(text), auth.Scope(text).Known()
	})
)

// listOfKeys makes a table of its own of the lines of a kind of keys.
func (w *writer) listOfKeys(ctx context.Context, k *kind) error {
	return w.exec(ctx, "listing "+k.table, fmt.Sprintf(`CREATE TEMPORARY TABLE import_%s ON COMMIT DROP AS
		SELECT k.line, k.kind, l.%s
		FROM import_keys AS k
		JOIN import_lines AS l ON l.line = k.line
		WHERE k.kind = '%s'`, k.table, strings.Join(k.columnNames(), ", l."), k.name))
}

// insertQuery moves rows of which none exists from that table.
func (k *kind) insertQuery() string {
	return fmt.Sprintf("INSERT INTO %[1]s (%[2]s) SELECT %[2]s FROM import_%[1]s", k.table, strings.Join(k.columnNames(), ", "))
}

// inForce is the condition that a key k has not ended.
const inForce = "(k.revoked_at IS NULL OR k.revoked_at > now()) AND (k.expires_at IS NULL OR k.expires_at > now())"

// mergeAPIKeys moves staged keys to where they belong, at the end, when their clients
// are there. A key that exists is only ended, never brought back or widened.
func (w *writer) mergeAPIKeys(ctx context.Context) error {
	if w.decoder.counts[apiKeyKind] == 0 {
		return nil
	}
	if err := w.listOfKeys(ctx, apiKeyKind); err != nil {
		return err
	}
	// As whoever issues a key does. In one order, or two imports could wait for each other.
	err := w.exec(ctx, "waiting for other keys of the clients", `SELECT pg_advisory_xact_lock(hashtextextended(k.client, 601))
		FROM unnest((SELECT array_agg(DISTINCT l.client_id::text) FROM import_api_keys AS l)) AS k (client)`)
	if err != nil {
		return err
	}
	err = w.refuse(ctx, "checking keys", `SELECT k.line, k.kind, k.client_id::text, k.id::text, 'client_id', format('there is no client %s', k.client_id)
		FROM import_api_keys AS k
		LEFT JOIN clients AS c ON c.id = k.client_id
		WHERE c.id IS NULL`)
	if err != nil {
		return err
	}
	err = w.refuse(ctx, "checking keys", `SELECT k.line, k.kind, k.client_id::text, k.id::text, 'prefix',
			format('%s differs from the key %s, which is there already, in more than when it ends', k.prefix, a.prefix)
		FROM import_api_keys AS k
		JOIN api_keys AS a ON a.prefix = k.prefix OR a.id = k.id
		WHERE (a.prefix, a.id, a.client_id, a.secret_hash, a.scopes) IS DISTINCT FROM (k.prefix, k.id, k.client_id, k.secret_hash, k.scopes)`)
	if err != nil {
		return err
	}
	// A key that was revoked and purged stays revoked.
	_, err = w.tx.Exec(ctx, `UPDATE import_api_keys AS k
		SET revoked_at = least(k.revoked_at, r.revoked_at)
		FROM revoked_keys AS r
		WHERE r.client_id = k.client_id AND r.prefix = k.prefix`)
	if err != nil {
		return databaseError("looking up revoked keys", err)
	}
	err = w.refuse(ctx, "checking keys", `SELECT k.line, k.kind, k.client_id::text, k.id::text, 'scopes',
			format('keys of client %s may have %s only: revoke the key where it comes from', c.slug, array_to_string(c.allowed_scopes, ', '))
		FROM import_api_keys AS k
		JOIN clients AS c ON c.id = k.client_id
		WHERE NOT k.scopes <@ c.allowed_scopes
			AND `+inForce+`
			AND NOT EXISTS (SELECT FROM api_keys AS a WHERE a.prefix = k.prefix)`)
	if err != nil {
		return err
	}
	var added, changed int64
	// What moved more than a key's last use is noted. In it, api_keys is as it was before.
	err = w.tx.QueryRow(ctx, `WITH changed AS (
			UPDATE api_keys AS a
			SET expires_at = least(a.expires_at, k.expires_at),
				revoked_at = least(a.revoked_at, k.revoked_at),
				last_used_at = greatest(a.last_used_at, k.last_used_at)
			FROM import_api_keys AS k
			WHERE a.prefix = k.prefix
				AND (least(a.expires_at, k.expires_at), least(a.revoked_at, k.revoked_at), greatest(a.last_used_at, k.last_used_at))
					IS DISTINCT FROM (a.expires_at, a.revoked_at, a.last_used_at)
			RETURNING a.*
		),

		added AS (
			`+apiKeyKind.insertQuery()+`
			ON CONFLICT (prefix) DO NOTHING
			RETURNING *
		),

		noted AS (
			INSERT INTO key_audits (client_id, action, key_id, account, actor, detail)
			SELECT k.client_id, 'import', k.id, $1, $1, format('%s: %s, scopes %s, expires %s, revoked %s',
				k.how, to_json(regexp_replace(k.name, '[\u007f-\u009f]', '?', 'g')), array_to_string(k.scopes, ','),
				coalesce(k.expires_at::text, 'never'), coalesce(k.revoked_at::text, 'no'))
			FROM (SELECT 'now' AS how, c.* FROM changed AS c UNION ALL SELECT 'new', d.* FROM added AS d) AS k
			LEFT JOIN api_keys AS a ON a.prefix = k.prefix
			WHERE a.prefix IS NULL OR (a.expires_at, a.revoked_at) IS DISTINCT FROM (k.expires_at, k.revoked_at)
		)

		SELECT (SELECT count(*) FROM added), (SELECT count(*) FROM changed)`, apikey.Account()).Scan(&added, &changed)
	if err != nil {
		return databaseError("writing api_keys", err)
	}
	err = w.refuse(ctx, "counting keys", fmt.Sprintf(`SELECT max(l.line) AS line, 'api_key', l.client_id::text, (array_agg(l.id ORDER BY l.line DESC))[1]::text, 'client_id',
			format('client %%s would have more than %[1]d keys in force: revoke some first', l.client_id)
		FROM import_api_keys AS l
		GROUP BY l.client_id
		HAVING (SELECT count(*) FROM api_keys AS k WHERE k.client_id = l.client_id AND %[2]s) > %[1]d`, apikey.MaxInForce, inForce))
	if err != nil {
		return err
	}
	*w.count(apiKeyKind) = KindSummary{Kind: apiKeyKind.name, Added: added, Changed: changed, Unchanged: w.decoder.counts[apiKeyKind] - added - changed}
	return nil
}

// mergeRequestLog moves staged log rows, when their keys are there.
func (w *writer) mergeRequestLog(ctx context.Context) error {
	if w.decoder.counts[requestLogKind] == 0 {
		return nil
	}
	if err := w.listOfKeys(ctx, requestLogKind); err != nil {
		return err
	}
	err := w.refuse(ctx, "checking the log", `SELECT l.line, l.kind, l.client_id::text, l.key_id::text, 'key_id', format('client %s has no key %s', l.client_id, l.key_id)
		FROM import_request_log AS l
		WHERE NOT EXISTS (SELECT FROM api_keys AS a WHERE a.id = l.key_id AND a.client_id = l.client_id)`)
	if err != nil {
		return err
	}
	// Admit counts a window by the numbers of its first and last row, so rows of two
	// databases in one would miscount it.
	if err := lockKeys(ctx, w.tx, "SELECT l.key_id FROM import_request_log AS l"); err != nil {
		return err
	}
	err = w.refuse(ctx, "checking the log", `SELECT l.line, l.kind, l.client_id::text, l.key_id::text, 'key_id',
			'the key was used here in the last hour: import again when it has passed'
		FROM import_request_log AS l
		WHERE l.at > statement_timestamp() - interval '1 hour'
			AND NOT EXISTS (
				SELECT
				FROM request_log AS r
				WHERE (r.client_id, r.key_id, r.at, r.seq) = (l.client_id, l.key_id, l.at, l.seq)
			)
			AND EXISTS (
				SELECT
				FROM request_log AS r
				WHERE r.client_id = l.client_id
					AND r.key_id = l.key_id
					AND r.at > statement_timestamp() - interval '1 hour'
					AND NOT EXISTS (
						SELECT
						FROM import_request_log AS i
						WHERE (i.client_id, i.key_id, i.at, i.seq) = (r.client_id, r.key_id, r.at, r.seq)
					)
			)`)
	if err != nil {
		return err
	}
	added, err := w.tx.Exec(ctx, requestLogKind.insertQuery()+" ON CONFLICT DO NOTHING")
	if err != nil {
		return databaseError("writing request_log", err)
	}
	w.count(requestLogKind).Added = added.RowsAffected()
	w.count(requestLogKind).Unchanged = w.decoder.counts[requestLogKind] - added.RowsAffected()
	return nil
}

// lockKeys waits for the admissions under way of the keys whose ids a query finds,
// and keeps others out until the transaction ends. In the order of admit.
func lockKeys(ctx context.Context, tx pgx.Tx, ids string, args ...any) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(r.lock)
		FROM unnest((
			SELECT array_agg(DISTINCT hashtextextended(a.prefix, 600))
			FROM api_keys AS a
			WHERE a.id IN (`+ids+`)
		)) AS r (lock)`, args...)
	return databaseError("waiting for requests under way", err)
}
