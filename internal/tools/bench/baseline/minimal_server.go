package baseline

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// MinimalPath is the path of a page of the minimal server, after a position.
func MinimalPath(client uuid.UUID, createdAt time.Time, id uuid.UUID) string {
	return "/minimal?client=" + client.String() + "&after=" + strconv.FormatInt(createdAt.UnixMicro(), 10) + "&id=" + id.String()
}

// selectMinimalPage is the query of the page's upper bound, with the client as a parameter.
const selectMinimalPage = `SELECT id, client_id, created_at, campaign_id, participant_name, interview_type, status,
	duration_seconds, nps_score, customer_sentiment, churn_risk, best_quote
FROM bench_upper_bound.interviews
WHERE client_id = $1 AND created_at <= $2 AND (created_at < $2 OR id > $3)
ORDER BY created_at DESC, id
LIMIT 51`

// minimalPage serves a page with HTTP, one prepared statement and PostgreSQL's text
// output only: no key, quota, transaction, log or JSON.
func (s *server) minimalPage(w http.ResponseWriter, r *http.Request) {
	given := r.URL.Query()
	micros, _ := strconv.ParseInt(given.Get("after"), 10, 64)
	body, err := s.readMinimalPage(r.Context(), given.Get("client"), time.UnixMicro(micros), given.Get("id"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body)
}

func (s *server) readMinimalPage(ctx context.Context, client string, at time.Time, id string) ([]byte, error) {
	rows, err := s.pool.Query(ctx, selectMinimalPage, pgx.QueryResultFormats{pgx.TextFormatCode}, client, at, id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	body, count := make([]byte, 0, 32<<10), 0
	for rows.Next() {
		if count == 50 {
			break
		}
		count++
		for _, value := range rows.RawValues() {
			body = append(append(body, value...), '\t')
		}
	}
	rows.Close()
	return append(strconv.AppendInt(append(body, `"count":`...), int64(count), 10), ','), rows.Err()
}
