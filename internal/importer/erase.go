package importer

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Person is whom an erasure is about: the interview of an id, or those of an address.
type Person struct {
	Interview uuid.UUID
	Email     string
}

// Erased is what an erasure found, and did unless it was asked only to look.
type Erased struct {
	Interviews []uuid.UUID `json:"interviews"`
	// Mentions are the records that hold an interview's id, or the person's name or address.
	Mentions []Mention `json:"mentions"`
}

// Mention is a record that names an erased person.
type Mention struct {
	Kind string    `json:"kind"`
	ID   uuid.UUID `json:"id"`
	// Done is what became of it: changed, withdrawn or nothing.
	Done string `json:"done"`
}

// ErrNobody is the error of an erasure that found no interview.
var ErrNobody = errors.New("the client has no such interview")

// Erase finds what a client has of a person. If it is to change anything, it removes the
// interviews, takes their ids out of saved bases, and suppresses them: no import brings
// them back. Documents are frozen: it withdraws them, or leaves them as they are. An import
// of the client is waited for, and told.
func Erase(ctx context.Context, conn *pgx.Conn, client uuid.UUID, who Person, change, withdraw bool, waiting func(string)) (Erased, error) {
	var found Erased
	err := transact(ctx, conn, "erased", "erase", func(tx pgx.Tx) error {
		if err := lockClients(ctx, tx, []uuid.UUID{client}, defaultMaxWait, waiting); err != nil {
			return err
		}
		if err := found.find(ctx, tx, client, who); err != nil {
			return err
		}
		if !change {
			return errDryRun
		}
		return found.erase(ctx, tx, client, withdraw)
	})
	if errors.Is(err, errDryRun) {
		err = nil
	}
	return found, err
}

// find lists the interviews and what names them. One of an id need not be there any more.
func (e *Erased) find(ctx context.Context, tx pgx.Tx, client uuid.UUID, who Person) error {
	var names []string
	var id uuid.UUID
	var name, email *string
	rows, _ := tx.Query(ctx, `SELECT o.id, nullif(trim(i.participant_name), ''), nullif(trim(i.participant_email), '')
		FROM record_owners AS o
		LEFT JOIN interviews AS i ON i.client_id = o.client_id AND i.id = o.id
		WHERE o.kind = 'interview'
			AND o.client_id = $1
			AND (o.id = $2 OR lower(trim(i.participant_email)) = lower(trim(nullif($3, ''))))
		ORDER BY o.id`, client, who.Interview, who.Email) // ForEachRow returns its error
	if _, err := pgx.ForEachRow(rows, []any{&id, &name, &email}, func() error {
		e.Interviews = append(e.Interviews, id)
		names = append(names, id.String())
		for _, text := range []*string{name, email} {
			if text != nil {
				names = append(names, *text)
			}
		}
		return nil
	}); err != nil {
		return databaseError("looking for interviews", err)
	}
	if len(e.Interviews) == 0 {
		return ErrNobody
	}
	// As whole words, so that Ada is not found in Adams, and escaped as JSON has a text inside
	// of another.
	rows, _ = tx.Query(ctx, `WITH named AS (
			SELECT '(^|[^[:alnum:]]|\\[bfnrt]|\\u[0-9a-f]{4})'
				|| regexp_replace(lower(trim(both '"' FROM to_jsonb(n.text)::text)), '([^[:alnum:]])', '\\\1', 'g')
				|| '([^[:alnum:]]|$)' AS pattern
			FROM unnest($2::text[]) AS n (text)
		)

		SELECT 'synthesis_document', d.id, 'nothing'
		FROM synthesis_documents AS d
		WHERE d.client_id = $1
			AND EXISTS (SELECT FROM named AS n WHERE lower(d.document::text) ~ n.pattern)
		UNION ALL
		SELECT 'portal_document', d.id, 'nothing'
		FROM portal_documents AS d
		WHERE d.client_id = $1
			AND EXISTS (SELECT FROM named AS n WHERE lower(d.body::text) ~ n.pattern)
		UNION ALL
		SELECT 'measurement_snapshot', s.id, 'nothing'
		FROM measurement_snapshots AS s
		WHERE s.client_id = $1
			AND s.source_interview_ids && $3::uuid[]`, client, names, e.Interviews) // CollectRows returns its error
	var err error
	e.Mentions, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Mention])
	return databaseError("looking for mentions", err)
}

func (e *Erased) erase(ctx context.Context, tx pgx.Tx, client uuid.UUID, withdraw bool) error {
	for i := range e.Mentions {
		m := &e.Mentions[i]
		query := fmt.Sprintf("UPDATE %s SET status = 'withdrawn' WHERE client_id = $1 AND id = $2", kindNamed(m.Kind).table)
		args := []any{client, m.ID}
		switch {
		case m.Kind == snapshotKind.name:
			m.Done = "changed"
			query = `UPDATE measurement_snapshots
				SET source_interview_ids = ARRAY(
					SELECT u.id FROM unnest(source_interview_ids) WITH ORDINALITY AS u (id, n) WHERE u.id <> ALL ($3::uuid[]) ORDER BY u.n
				)
				WHERE client_id = $1 AND id = $2`
			args = append(args, e.Interviews)
		case withdraw:
			m.Done = "withdrawn"
		default:
			continue
		}
		if _, err := tx.Exec(ctx, query, args...); err != nil {
			return databaseError("changing what names the interviews", err)
		}
	}
	if _, err := tx.Exec(ctx, "DELETE FROM interviews WHERE client_id = $1 AND id = ANY ($2::uuid[])", client, e.Interviews); err != nil {
		return databaseError("removing interviews", err)
	}
	_, err := tx.Exec(ctx, `INSERT INTO suppressed_interviews (client_id, id)
		SELECT $1, u.id FROM unnest($2::uuid[]) AS u (id)
		ON CONFLICT DO NOTHING`, client, e.Interviews)
	return databaseError("suppressing interviews", err)
}
