package apitest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
)

// Seed builds rows by plain SQL, filling every column; a test states only what
// it is about.
type Seed struct {
	conn    *pgx.Conn
	Clients map[string]uuid.UUID
}

// Fields are columns to set otherwise than the builder would.
type Fields map[string]any

func newSeed(t testing.TB, d *dbtest.Database) *Seed {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, d.OwnerURL)
	require.NoError(t, err)
	postgres.RegisterTypes(conn)
	t.Cleanup(func() { _ = conn.Close(ctx) })
	s := &Seed{conn: conn, Clients: map[string]uuid.UUID{}}
	s.Client(t, "acme", "legacy")
	s.Client(t, "globex", "canonical")
	return s
}

// Client adds a client.
func (s *Seed) Client(t testing.TB, slug, mode string) uuid.UUID {
	t.Helper()
	id := uuid.New()
	s.insert(t, "clients", Fields{
		"id": id, "slug": slug, "name": strings.ToUpper(slug), "measurement_mode": mode,
		"measurement_contract_version": "canonical_measurement.v1",
	})
	s.Clients[slug] = id
	return id
}

// At is a moment in the seeds' time, "2026-03-01" or RFC 3339.
func At(text string) time.Time {
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC()
		}
	}
	panic("no moment: " + text)
}

// Campaign adds a live campaign.
func (s *Seed) Campaign(t testing.TB, client string, change Fields) uuid.UUID {
	t.Helper()
	id := uuid.New()
	s.insert(t, "campaigns", merged(Fields{
		"client_id": s.Clients[client], "id": id, "slug": "campaign-" + id.String()[:8], "display_name": "Campaign",
		"launch_status": "live", "active": true, "created_at": At("2026-01-01"), "updated_at": At("2026-01-02"),
	}, change))
	return idOf(id, change)
}

// Interview adds a usable interview with every field filled.
func (s *Seed) Interview(t testing.TB, client string, change Fields) string {
	t.Helper()
	id := uuid.New()
	s.insert(t, "interviews", merged(Fields{
		"client_id": s.Clients[client], "id": id, "created_at": At("2026-03-01"), "status": "completed",
		"quality": "passed", "reportable": true, "client_safe": true, "duration_seconds": 312.5, "nps_score": 9,
		"participant_name": "Ada Byron", "participant_email": "ada@example.com", "interview_type": "voice",
		"customer_sentiment": "positive", "churn_risk": "low", "best_quote": "It just works.", "engagement": "engaged",
		"transcript":        json.RawMessage(`[{"role": "customer", "text": "It just works.", "score": 1.50}]`),
		"raw_extraction":    json.RawMessage(`{"model": "v7", "confidence": 0.10}`),
		"custom_extraction": json.RawMessage(`{"primary_pain_points": "late delivery", "big": 12345678901234567890.123}`),
	}, change))
	return idOf(id, change).String()
}

// Exec runs a statement as the owner.
func (s *Seed) Exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	_, err := s.conn.Exec(context.Background(), sql, args...)
	require.NoError(t, err, sql)
}

// Query reads one value as the owner.
func (s *Seed) Query(t testing.TB, into any, sql string, args ...any) {
	t.Helper()
	require.NoError(t, s.conn.QueryRow(context.Background(), sql, args...).Scan(into), sql)
}

func (s *Seed) insert(t testing.TB, table string, fields Fields) {
	t.Helper()
	var columns, places []string
	var values []any
	for column, value := range fields {
		columns = append(columns, column)
		values = append(values, value)
		places = append(places, fmt.Sprintf("$%d", len(values)))
	}
	s.Exec(t, fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", table, strings.Join(columns, ", "), strings.Join(places, ", ")), values...)
}

func merged(fields, change Fields) Fields {
	for column, value := range change {
		fields[column] = value
	}
	return fields
}

func idOf(made uuid.UUID, change Fields) uuid.UUID {
	switch given := change["id"].(type) {
	case uuid.UUID:
		return given
	case string:
		return uuid.MustParse(given)
	}
	return made
}
