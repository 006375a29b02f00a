package baseline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
)

type server struct {
	pool *pgxpool.Pool
	log  *slog.Logger
}

// Serve answers until ctx ends, and prints its address first.
func Serve(ctx context.Context, databaseURL string, out, log io.Writer) error {
	config, err := pgxpool.ParseConfig(databaseURL)
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
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintln(out, listener.Addr())
	handlers := &server{pool: pool, log: slog.New(slog.NewJSONHandler(log, nil))}
	api := &http.Server{Handler: handlers.routes(), ReadHeaderTimeout: 5 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = api.Close() })
	defer stop()
	if err := api.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving: %w", err)
	}
	return nil
}

func (s *server) routes() http.Handler {
	r := chi.NewRouter()
	r.With(s.logRequests, s.admit("read:interviews_metadata")).Get("/api/client/v1/interviews", s.listInterviews)
	return r
}

func (s *server) logRequests(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		started, id := time.Now(), uuid.NewString()
		w.Header().Set("X-Request-Id", id)
		seen := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
		next.ServeHTTP(seen, r)
		s.log.LogAttrs(r.Context(), slog.LevelInfo, "request",
			slog.String("request_id", id), slog.String("method", r.Method), slog.String("path", r.URL.Path),
			slog.Int("status", seen.Status()), slog.Float64("duration_ms", float64(time.Since(started).Microseconds())/1000))
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
