package interview

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// columns is how many values a row of each query has: those of an interview in
// the order of its fields, the raw extraction on detail only.
const (
	listColumns   = 15
	detailColumns = 16
)

// rowReader reads interviews without a copy of their texts. Scanning into a
// struct costs as much as all the rest of an answer.
type rowReader struct {
	rows   pgx.Rows
	fields []pgconn.FieldDescription
	one    Interview
	err    error
}

func (r *rowReader) next() bool {
	if r.err != nil || !r.rows.Next() {
		return false
	}
	if r.fields == nil {
		r.fields = r.rows.FieldDescriptions()
	}
	values := r.rows.RawValues()
	if len(values) != listColumns && len(values) != detailColumns {
		r.err = fmt.Errorf("an interview has %d columns", len(values))
		return false
	}
	i := &r.one
	r.read(values, 0, &i.ID)
	r.read(values, 1, &i.ClientID)
	r.read(values, 2, &i.CreatedAt)
	i.CampaignID.Valid = values[3] != nil
	if i.CampaignID.Valid {
		r.read(values, 3, &i.CampaignID.UUID)
	}
	i.ParticipantName, i.InterviewType, i.Status = values[4], values[5], values[6]
	r.readFloat(values, 7, &i.DurationSeconds)
	r.readFloat(values, 8, &i.NPSScore)
	i.CustomerSentiment, i.ChurnRisk, i.BestQuote = values[9], values[10], values[11]
	i.ParticipantEmail, i.Transcript, i.CustomExtraction = r.json(values, 12), r.json(values, 13), r.json(values, 14)
	if len(values) == detailColumns {
		i.RawExtraction = r.json(values, 15)
	}
	return r.err == nil
}

// read decodes the binary form, which the pool asks for; through a pooler that
// prepares no statements values come as text, and pgx knows how to read them.
func (r *rowReader) read(values [][]byte, at int, to any) {
	value := values[at]
	if r.fields[at].Format == pgx.BinaryFormatCode {
		switch to := to.(type) {
		case *uuid.UUID:
			if len(value) == len(to) {
				copy(to[:], value)
				return
			}
		case *time.Time:
			if len(value) == 8 {
				*to = time.UnixMicro(int64(binary.BigEndian.Uint64(value)) + postgresEpoch).UTC()
				return
			}
		}
	}
	if err := r.rows.Conn().TypeMap().Scan(r.fields[at].DataTypeOID, r.fields[at].Format, value, to); err != nil && r.err == nil {
		r.err = fmt.Errorf("reading %s: %w", r.fields[at].Name, err)
	}
}

// postgresEpoch is the year 2000 in microseconds since 1970.
const postgresEpoch = 946_684_800_000_000

func (r *rowReader) readFloat(values [][]byte, at int, to *pgtype.Float8) {
	value := values[at]
	switch {
	case value == nil:
		*to = pgtype.Float8{}
	case r.fields[at].Format == pgx.BinaryFormatCode && len(value) == 8:
		*to = pgtype.Float8{Float64: math.Float64frombits(binary.BigEndian.Uint64(value)), Valid: true}
	default:
		r.read(values, at, to)
	}
}

// json is a value of jsonb, whose binary form begins with a version.
func (r *rowReader) json(values [][]byte, at int) []byte {
	value := values[at]
	if len(value) > 0 && r.fields[at].Format == pgx.BinaryFormatCode {
		return value[1:]
	}
	return value
}
