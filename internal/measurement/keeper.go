package measurement

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/clientintel/clientintel/gen/db"
)

// ErrUnknownClient says that no client goes by that id or slug.
var ErrUnknownClient = errors.New("no client has this id or slug")

// Keeper audits, mends and switches measurement, as the owner, on a connection
// of its own.
type Keeper struct {
	conn *pgx.Conn
}

// NewKeeper works on the owner's connection.
func NewKeeper(conn *pgx.Conn) *Keeper { return &Keeper{conn: conn} }

// Client is one whose measurement is kept.
type Client struct {
	ID              uuid.UUID `json:"client_id"`
	Slug            string    `json:"slug"`
	Mode            Mode      `json:"measurement_mode"`
	ContractVersion *string   `json:"measurement_contract_version"`
}

// Clients lists the canonical clients, or the one named by id or slug, whatever
// its mode.
func (k *Keeper) Clients(ctx context.Context, named string) ([]Client, error) {
	rows, err := db.New(k.conn).ListMeasuredClients(ctx, named)
	if err != nil {
		return nil, fmt.Errorf("looking up clients: %w", err)
	}
	if named != "" {
		if len(rows) == 0 {
			return nil, fmt.Errorf("%q: %w", named, ErrUnknownClient)
		}
		rows = rows[:1] // an id wins over a slug that looks like it
	}
	clients := make([]Client, len(rows))
	for i, r := range rows {
		clients[i] = Client{
			ID: r.ClientID, Slug: r.Slug, Mode: Mode(r.MeasurementMode), ContractVersion: r.MeasurementContractVersion,
		}
	}
	return clients, nil
}

// Audit is what one audit of a client found.
type Audit struct {
	Client
	// Members is what the state says, nil without a state; Found counts the facts.
	Members *int64 `json:"members"`
	Found   int64  `json:"found_members"`
	// Misjudged counts the interviews whose stored judgement is not what their facts say.
	Misjudged int64 `json:"misjudged"`
	// Fault says what is wrong; nil when state and facts agree.
	Fault *string `json:"fault"`
	// BrokenAt and BrokenReason are the client's mark, now.
	BrokenAt     *time.Time `json:"broken_at"`
	BrokenReason *string    `json:"broken_reason"`
	Seconds      float64    `json:"seconds"`
}

// Sound tells whether state and facts agree and no earlier mark stands.
func (a Audit) Sound() bool { return a.Fault == nil && a.BrokenAt == nil }

// Audit holds a client's state against the raw facts, in one snapshot, and
// marks a canonical client that differs: its requests are refused from then on.
func (k *Keeper) Audit(ctx context.Context, c Client) (Audit, error) {
	a := Audit{Client: c}
	var took time.Duration
	err := k.call(ctx, `SELECT a.members, a.found_members, a.misjudged, a.fault, a.broken_at, a.broken_reason, a.took
		FROM audit_measurement($1) AS a`, []any{c.ID},
		&a.Members, &a.Found, &a.Misjudged, &a.Fault, &a.BrokenAt, &a.BrokenReason, &took)
	if err != nil {
		return a, fmt.Errorf("auditing %s: %w", c.Slug, err)
	}
	a.Seconds = took.Seconds()
	return a, nil
}

// Mend is what a rebuild put right.
type Mend struct {
	Client
	// Guards counts the triggers that were switched off and are on again.
	Guards int
	// Rejudged counts interviews whose copy of their campaign's liveness was wrong.
	Rejudged int64
	// Corrected was added to the count. Changed also tells of other members at the same count.
	Corrected int64
	Changed   bool
	WasBroken bool
	// Members is the count now.
	Members int64
}

// Rebuild makes a client's state true again, beside any number of writers, and
// clears its mark.
func (k *Keeper) Rebuild(ctx context.Context, c Client) (Mend, error) {
	m := Mend{Client: c}
	restored, err := db.New(k.conn).RestoreMeasurementGuards(ctx)
	if err != nil {
		return m, fmt.Errorf("switching on what keeps the count: %w", withHint(err))
	}
	m.Guards = int(restored)
	err = k.call(ctx, `SELECT m.rejudged, m.corrected, m.changed, m.was_broken, m.members
		FROM mend_measurement($1) AS m`, []any{c.ID},
		&m.Rejudged, &m.Corrected, &m.Changed, &m.WasBroken, &m.Members)
	if err != nil {
		return m, fmt.Errorf("rebuilding %s: %w", c.Slug, withHint(err))
	}
	return m, nil
}

// call runs one of the database's functions, at the isolation level that they
// ask for, whatever the database's default is.
func (k *Keeper) call(ctx context.Context, sql string, args []any, into ...any) error {
	return pgx.BeginTxFunc(ctx, k.conn, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, sql, args...).Scan(into...)
	})
}

// withHint makes a refusal of the database's functions say what to do about it.
func withHint(err error) error {
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Hint != "" {
		return fmt.Errorf("%s. %s", refused.Message, refused.Hint)
	}
	return err
}

// FaultError says why a client was not cut over.
type FaultError struct{ Fault string }

func (e *FaultError) Error() string { return e.Fault }

// CutOver proves a client's measurement and switches it to canonical, in one
// transaction, and returns its members. A *FaultError says that it was not proven.
func (k *Keeper) CutOver(ctx context.Context, c Client) (int64, error) {
	var members int64
	var found *string
	err := k.call(ctx, `SELECT m.members, m.fault FROM cut_over_measurement($1, $2) AS m`, []any{c.ID, ContractVersion},
		&members, &found)
	if err != nil {
		return 0, fmt.Errorf("cutting %s over: %w", c.Slug, err)
	}
	if found != nil {
		return 0, &FaultError{Fault: *found}
	}
	return members, nil
}

// ReturnToLegacy switches a client back.
func (k *Keeper) ReturnToLegacy(ctx context.Context, c Client) error {
	if err := db.New(k.conn).ReturnToLegacy(ctx, c.ID); err != nil {
		return fmt.Errorf("returning %s to legacy: %w", c.Slug, err)
	}
	return nil
}
