package baseline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Settings of a server.
type Settings struct {
	DatabaseURL string
	Listen      string
	// Secret signs cursors.
	Secret string
	Log    io.Writer
}

type server struct {
	pool   *pgxpool.Pool
	secret []byte
	log    *slog.Logger
}

// Serve answers until ctx ends.
func Serve(ctx context.Context, s Settings) error {
	config, err := pgxpool.ParseConfig(s.DatabaseURL)
	if err != nil {
		return err
	}
	// As many connections as the product reads with.
	config.MaxConns = int32(max(4, 4*runtime.NumCPU()))
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return err
	}
	defer pool.Close()
	handlers := &server{pool: pool, secret: []byte(s.Secret), log: slog.New(slog.NewJSONHandler(s.Log, nil))}
	api := &http.Server{Addr: s.Listen, Handler: handlers.routes(), ReadHeaderTimeout: 5 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = api.Close() })
	defer stop()
	if err := api.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving: %w", err)
	}
	return nil
}

func (s *server) routes() http.Handler {
	r := chi.NewRouter()
	r.Get("/minimal", s.minimalPage)
	r.Get("/readyz", func(w http.ResponseWriter, r *http.Request) {
		if err := s.pool.Ping(r.Context()); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		}
	})
	r.Route("/api/client/v1", func(r chi.Router) {
		r.Use(s.logRequests)
		r.Use(s.admit("read:interviews_metadata"))
		r.Get("/interviews", s.listInterviews)
	})
	return r
}

type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (s *server) logRequests(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		started, id := time.Now(), uuid.NewString()
		w.Header().Set("X-Request-Id", id)
		seen := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(seen, r)
		s.log.LogAttrs(r.Context(), slog.LevelInfo, "request",
			slog.String("request_id", id), slog.String("method", r.Method), slog.String("path", r.URL.Path),
			slog.Int("status", seen.status), slog.Float64("duration_ms", float64(time.Since(started).Microseconds())/1000))
	})
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

type problem struct {
	Error string `json:"error"`
	Code  string `json:"code"`
}

func (s *server) fail(w http.ResponseWriter, r *http.Request, err error) {
	s.log.LogAttrs(r.Context(), slog.LevelError, "failed", slog.String("error", err.Error()))
	writeJSON(w, http.StatusInternalServerError, problem{"internal error", "internal_error"})
}
