package app

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/ops"
	"github.com/clientintel/clientintel/internal/postgres"
)

const (
	// startInterval is how often a waiting server tries to start.
	startInterval = 500 * time.Millisecond
	// probeTimeout bounds the first query of each try: a host that is away may not refuse.
	probeTimeout = 3 * time.Second
)

// AwaitServer wires a server once the database answers and has a schema that this release
// can serve, to which settings may have it migrated. Until then /readyz answers 503 with the
// reason, and the API's address is closed. Settings that are wrong are an error at once.
func AwaitServer(ctx context.Context, d *Database, settings config.Server, log *slog.Logger) (*Server, error) {
	if settings.TLSCert != "" {
		if _, err := newCertificate(settings.TLSCert, settings.TLSKey, log); err != nil {
			return nil, err
		}
	}
	handler := func(ready func(context.Context) error) http.Handler {
		return ops.Handler(ops.NewMetrics(Version), ready)
	}
	return await(ctx, log, settings.OpsListen, "--ops-listen", handler, func() (*Server, error) { return d.startServer(ctx, settings, log) })
}

// await calls start until it succeeds or fails for a reason that does not pass. Meanwhile
// handler, which is told why, answers at the address.
func await[T any](
	ctx context.Context, log *slog.Logger, address, flag string, handler func(ready func(context.Context) error) http.Handler, start func() (T, error),
) (started T, err error) {
	started, err = start()
	why := reasonToWait(err)
	if why == "" {
		return started, err
	}
	var reason atomic.Value
	reason.Store(why)
	listener, failed := Listen(ctx, address, flag)
	if failed != nil {
		return started, failed
	}
	waiting := newHTTPServer(handler(func(context.Context) error { return errors.New(reason.Load().(string)) }), log)
	defer waiting.Close()
	go func() { _ = waiting.Serve(listener) }()
	log.Warn("not ready", "reason", why, "error", postgres.Loggable(err), "operations", "http://"+listener.Addr().String())

	tick := time.NewTicker(startInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return started, ctx.Err()
		case <-tick.C:
		}
		started, err := start()
		why := reasonToWait(err)
		if why == "" {
			return started, err
		}
		if reason.Swap(why) != why && ctx.Err() == nil {
			log.Warn("not ready", "reason", why, "error", postgres.Loggable(err))
		}
	}
}

// schemaError is a schema that this release cannot serve.
type schemaError struct{ error }

func checkServed(schema postgres.Schema) error {
	if err := schema.CheckServed(); err != nil {
		return schemaError{err}
	}
	return nil
}

// reasonToWait says why a start that failed may succeed later; empty: it may not.
func reasonToWait(err error) string {
	var schema schemaError
	var certificate *tls.CertificateVerificationError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &schema):
		return schema.Error()
	case !postgres.IsUnavailable(err), errors.As(err, &certificate), strings.Contains(err.Error(), "refused TLS"):
		return ""
	}
	return "the database does not answer"
}

// startServer is one try to start.
func (d *Database) startServer(ctx context.Context, settings config.Server, log *slog.Logger) (*Server, error) {
	probe, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	schema, err := postgres.ReadSchemaAsServer(probe, d.ServerURL)
	switch {
	case err != nil && postgres.IsUnavailable(err):
		return nil, err
	case settings.Migrate:
		migrating, cancel := context.WithTimeout(ctx, 10*time.Minute)
		defer cancel()
		if err := d.Migrate(migrating); err != nil {
			return nil, err
		}
	case err == nil: // another error is NewServer's too, which explains it
		if err := checkServed(schema); err != nil {
			return nil, err
		}
	}
	return NewServer(ctx, d.ServerURL, settings, log)
}
