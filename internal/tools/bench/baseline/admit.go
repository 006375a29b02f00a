package baseline

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

const (
	maxRequests = 600
	window      = time.Hour
)

type caller struct {
	keyID    int64
	clientID uuid.UUID
	scopes   []string
}

type callerKey struct{}

var (
	errInactive = errors.New("the key is not active")
	errLimited  = errors.New("the key has no requests left")
)

func (s *server) admit(scope string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			key, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
			if !found {
				writeJSON(w, http.StatusUnauthorized, problem{"Missing Bearer API key", "missing_api_key"})
				return
			}
			who, remaining, reset, err := s.count(r.Context(), key, r.URL.Path)
			if errors.Is(err, pgx.ErrNoRows) || errors.Is(err, errInactive) {
				writeJSON(w, http.StatusUnauthorized, problem{"Invalid API key", "invalid_api_key"})
				return
			}
			if err != nil && !errors.Is(err, errLimited) {
				s.fail(w, r, err)
				return
			}
			w.Header().Set("X-RateLimit-Limit", strconv.Itoa(maxRequests))
			w.Header().Set("X-RateLimit-Remaining", strconv.Itoa(remaining))
			w.Header().Set("X-RateLimit-Reset", strconv.FormatInt(reset.Unix(), 10))
			if err != nil {
				w.Header().Set("Retry-After", strconv.Itoa(max(int(time.Until(reset).Seconds()), 1)))
				writeJSON(w, http.StatusTooManyRequests, problem{"rate_limited", "rate_limited"})
				return
			}
			if !slices.Contains(who.scopes, scope) {
				writeJSON(w, http.StatusForbidden, problem{"Missing required scope: " + scope, "insufficient_scope"})
				return
			}
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, who)))
		})
	}
}

// count finds the key, locks it, counts its window and inserts a row.
func (s *server) count(ctx context.Context, key, route string) (caller, int, time.Time, error) {
	var who caller
	var used int
	var oldest *time.Time
	hash := sha256.Sum256([]byte(key))
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		var revoked, expires *time.Time
		err := tx.QueryRow(ctx, `SELECT id, client_id, scopes, revoked_at, expires_at
			FROM baseline.api_keys WHERE key_hash = $1 FOR NO KEY UPDATE`, hash[:]).
			Scan(&who.keyID, &who.clientID, &who.scopes, &revoked, &expires)
		if err != nil {
			return err
		}
		if revoked != nil || expires != nil && expires.Before(time.Now()) {
			return errInactive
		}
		err = tx.QueryRow(ctx, `SELECT count(*), min(at) FROM baseline.requests
			WHERE key_id = $1 AND at > clock_timestamp() - interval '1 hour'`, who.keyID).Scan(&used, &oldest)
		if err != nil {
			return err
		}
		if used >= maxRequests {
			return errLimited
		}
		_, err = tx.Exec(ctx, "INSERT INTO baseline.requests (key_id, route) VALUES ($1, $2)", who.keyID, route)
		return err
	})
	if oldest == nil {
		now := time.Now()
		oldest = &now
	}
	return who, max(maxRequests-used, 0), oldest.Add(window), err
}
