package analytics

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
)

// encoded is a value as PostgreSQL sends it.
func encoded(t *testing.T, oid uint32, value any) []byte {
	t.Helper()
	b, err := pgtype.NewMap().Encode(oid, pgtype.BinaryFormatCode, value, nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func sent(t *testing.T, at time.Time, id uuid.UUID, campaign *uuid.UUID, score *float64) [][]byte {
	t.Helper()
	return [][]byte{
		encoded(t, pgtype.TimestamptzOID, at), encoded(t, pgtype.UUIDOID, id),
		encoded(t, pgtype.UUIDOID, campaign), encoded(t, pgtype.Float8OID, score),
	}
}

// Pulses mean what pgx would read from the same bytes.
func TestRead_TakesPulsesApart(t *testing.T) {
	t.Parallel()
	zebra, bare := uuid.New(), uuid.New()
	named := newCampaigns()
	named.add(zebra, "z", new("Zebra"))
	named.add(bare, "bare", nil)
	for _, at := range []time.Time{
		time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(1582, 10, 15, 23, 59, 59, 999999000, time.UTC),
		time.Date(1969, 12, 31, 23, 59, 59, 999999000, time.UTC), time.Date(1999, 12, 31, 23, 59, 59, 999999000, time.UTC),
		time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2024, 2, 29, 12, 0, 0, 1000, time.UTC),
		time.Date(9999, 12, 31, 23, 59, 59, 999999000, time.UTC),
	} {
		for _, c := range []struct {
			campaign  *uuid.UUID
			score     *float64
			label     string
			sentiment Sentiment
		}{
			{nil, nil, "Uncategorized", Unknown}, {&zebra, new(9.0), "Zebra", Promoter},
			{&bare, new(7.0), "bare", Passive}, {&zebra, new(0.0), "Zebra", Detractor},
		} {
			id := uuid.New()
			p, err := readBinary(sent(t, at, id, c.campaign, c.score))
			if err != nil {
				t.Fatal(err)
			}
			row, err := named.row(p)
			if err != nil {
				t.Fatal(err)
			}
			if p.id != id || row.Day != dayOf(at) || row.Campaign.Label != c.label || row.Sentiment != c.sentiment {
				t.Errorf("%s at %s: got %+v of %+v with id %s, want %s, %s and %s",
					id, at, row, row.Campaign, p.id, dayOf(at), c.label, c.sentiment)
			}
		}
	}
}

// What is not a pulse is an error.
func TestRead_RefusesWhatIsNoPulse(t *testing.T) {
	t.Parallel()
	if _, err := newCampaigns().row(pulse{campaign: pgtype.UUID{Bytes: uuid.New(), Valid: true}}); err == nil {
		t.Error("an unknown campaign was taken")
	}
	for column := range 4 {
		for _, wrong := range [][]byte{{}, []byte("2026-03-01"), make([]byte, 17)} {
			values := sent(t, time.Now(), uuid.New(), nil, nil)
			values[column] = wrong
			if _, err := readBinary(values); err == nil {
				t.Errorf("%q was taken as column %d", wrong, column)
			}
		}
	}
	for _, few := range [][][]byte{nil, sent(t, time.Now(), uuid.New(), nil, nil)[:3]} {
		if _, err := readBinary(few); err == nil {
			t.Errorf("%d columns were taken", len(few))
		}
	}
}
