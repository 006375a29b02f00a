package importer

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/gen/db"
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
// them back. Documents are frozen: it withdraws them, or leaves them as they are.
func Erase(ctx context.Context, conn *pgx.Conn, client uuid.UUID, who Person, change, withdraw bool, waiting func(string)) (Erased, error) {
	var found Erased
	err := alone(ctx, conn, "erased", "erase", client, waiting, func(_ pgx.Tx, queries *db.Queries) error {
		if err := found.find(ctx, queries, client, who); err != nil {
			return err
		}
		if !change {
			return errDryRun
		}
		return found.erase(ctx, queries, client, withdraw)
	})
	if errors.Is(err, errDryRun) {
		err = nil
	}
	return found, err
}

// find lists the interviews and what names them.
func (e *Erased) find(ctx context.Context, queries *db.Queries, client uuid.UUID, who Person) error {
	people, err := queries.FindPerson(ctx, db.FindPersonParams{ClientID: client, Interview: who.Interview, Email: who.Email})
	if err != nil {
		return fmt.Errorf("looking for interviews: %w", err)
	}
	if len(people) == 0 {
		return ErrNobody
	}
	var names []string
	for _, p := range people {
		e.Interviews = append(e.Interviews, p.ID)
		for _, name := range []string{p.ID.String(), p.Name, p.Email} {
			if name != "" {
				names = append(names, name)
			}
		}
	}
	mentions, err := queries.FindMentions(ctx, db.FindMentionsParams{ClientID: client, Names: names, Interviews: e.Interviews})
	if err != nil {
		return fmt.Errorf("looking for mentions: %w", err)
	}
	for _, m := range mentions {
		e.Mentions = append(e.Mentions, Mention{Kind: m.Kind, ID: m.ID, Done: "nothing"})
	}
	return nil
}

func (e *Erased) erase(ctx context.Context, queries *db.Queries, client uuid.UUID, withdraw bool) error {
	ids := map[string][]uuid.UUID{}
	for i := range e.Mentions {
		m := &e.Mentions[i]
		switch {
		case m.Kind == snapshotKind.name:
			m.Done = "changed"
		case withdraw:
			m.Done = "withdrawn"
			ids[m.Kind] = append(ids[m.Kind], m.ID)
		}
	}
	if err := cmp.Or(
		queries.WithdrawSynthesisDocuments(ctx, db.WithdrawSynthesisDocumentsParams{ClientID: client, Ids: ids[synthesisKind.name]}),
		queries.WithdrawPortalDocuments(ctx, db.WithdrawPortalDocumentsParams{ClientID: client, Ids: ids[portalKind.name]}),
		queries.ForgetIDs(ctx, db.ForgetIDsParams{ClientID: client, Interviews: e.Interviews}),
	); err != nil {
		return fmt.Errorf("changing what names the interviews: %w", err)
	}
	if err := cmp.Or(
		queries.EraseInterviews(ctx, db.EraseInterviewsParams{ClientID: client, Interviews: e.Interviews}),
		queries.SuppressInterviews(ctx, db.SuppressInterviewsParams{ClientID: client, Interviews: e.Interviews}),
	); err != nil {
		return fmt.Errorf("removing interviews: %w", err)
	}
	return nil
}
