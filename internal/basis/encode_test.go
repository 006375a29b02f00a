package basis_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/basis"
	"github.com/clientintel/clientintel/internal/test/check"
)

func TestAppendUUID_IsTheUsualText(t *testing.T) {
	t.Parallel()
	for range 20 {
		id := uuid.New()
		check.Equal(t, string(basis.AppendUUID([]byte("id "), id)), "id "+id.String(), id)
	}
}

// Answers and preview ids hold UTC with six fractional digits, whatever zone and
// precision a time was read in.
func TestAppendTime_IsUTCWithSixDigits(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("", 2*60*60)
	for want, at := range map[string]time.Time{
		"2026-02-28T23:30:00.000000Z": time.Date(2026, 3, 1, 1, 30, 0, 0, zone),
		"2026-02-28T23:30:00.120000Z": time.Date(2026, 3, 1, 1, 30, 0, 120_000_000, zone),
		"2026-03-01T01:30:00.000001Z": time.Date(2026, 3, 1, 1, 30, 0, 1_999, time.UTC),
		"0001-01-01T00:00:00.000000Z": {},
		"9999-12-31T23:59:59.999999Z": time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC),
	} {
		check.Equal(t, string(basis.AppendTime([]byte("at "), at)), "at "+want, at)
		check.Equal(t, basis.Timestamp(at), want, at)
	}
}
