package baseline

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

type interview struct {
	ID                uuid.UUID  `json:"id"`
	ClientID          uuid.UUID  `json:"client_id"`
	CampaignID        *uuid.UUID `json:"conversation_goal_id"`
	ParticipantName   *string    `json:"participant_name"`
	InterviewType     *string    `json:"interview_type"`
	Status            string     `json:"status"`
	DurationSeconds   *float64   `json:"duration_seconds"`
	NPSScore          *float64   `json:"nps_score"`
	CustomerSentiment *string    `json:"customer_sentiment"`
	ChurnRisk         *string    `json:"churn_risk"`
	BestQuote         *string    `json:"best_quote"`
	CreatedAt         time.Time  `json:"created_at"`
}

type meta struct {
	ClientID                 uuid.UUID `json:"client_id"`
	Count                    int       `json:"count"`
	HasMore                  bool      `json:"has_more"`
	NextCursor               *string   `json:"next_cursor"`
	IncludesCustomerIdentity bool      `json:"includes_customer_identity"`
	IncludesTranscripts      bool      `json:"includes_transcripts"`
	IncludesRawExtraction    bool      `json:"includes_raw_extraction"`
	IncludesCustomExtraction bool      `json:"includes_custom_extraction"`
	MeasurementMode          string    `json:"measurement_mode"`
}

type interviewList struct {
	Data []interview `json:"data"`
	Meta meta        `json:"meta"`
}

const selectInterviews = `SELECT id, client_id, campaign_id, participant_name, interview_type, status, duration_seconds,
	nps_score, customer_sentiment, churn_risk, best_quote, created_at
FROM interviews
WHERE client_id = $1 AND usable AND created_at <= $2 AND (created_at < $2 OR id > $3)
ORDER BY created_at DESC, id
LIMIT $4`

func (s *server) listInterviews(w http.ResponseWriter, r *http.Request) {
	who, _ := r.Context().Value(callerKey{}).(caller)
	limit := 50
	if text := r.URL.Query().Get("limit"); text != "" {
		var err error
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 || limit > 200 {
			writeJSON(w, http.StatusBadRequest, problem{"limit must be 1 to 200", "invalid_parameter"})
			return
		}
	}
	at, id := time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC), uuid.Max
	if text := r.URL.Query().Get("starting_after"); text != "" {
		var issued bool
		if at, id, issued = parseCursor(who.clientID, text); !issued {
			writeJSON(w, http.StatusBadRequest, problem{"invalid cursor", "invalid_cursor"})
			return
		}
	}
	found, err := s.page(r.Context(), who.clientID, at, id, limit+1)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	list := interviewList{Data: found, Meta: meta{ClientID: who.clientID, MeasurementMode: "legacy"}}
	if len(found) > limit {
		list.Data = found[:limit]
		last := found[limit-1]
		next := Cursor(who.clientID, last.CreatedAt, last.ID)
		list.Meta.HasMore, list.Meta.NextCursor = true, &next
	}
	list.Meta.Count = len(list.Data)
	writeJSON(w, http.StatusOK, list)
}

func (s *server) page(ctx context.Context, client uuid.UUID, at time.Time, id uuid.UUID, limit int) ([]interview, error) {
	rows, err := s.pool.Query(ctx, selectInterviews, client, at, id, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (interview, error) {
		var i interview
		err := row.Scan(&i.ID, &i.ClientID, &i.CampaignID, &i.ParticipantName, &i.InterviewType, &i.Status,
			&i.DurationSeconds, &i.NPSScore, &i.CustomerSentiment, &i.ChurnRisk, &i.BestQuote, &i.CreatedAt)
		i.CreatedAt = i.CreatedAt.UTC()
		return i, err
	})
}
