package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync/atomic"
	"time"

	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/ops"
	"github.com/clientintel/clientintel/internal/postgres"
)

// schemaInterval is how often a waiting server reads the schema's version.
const schemaInterval = 500 * time.Millisecond

// AwaitSchema returns when the database has a schema that this release can serve.
// Until then /readyz answers 503 with the reason, and the API's address is closed.
func AwaitSchema(ctx context.Context, databaseURL string, settings config.Server, log *slog.Logger) error {
	schema, err := postgres.ReadSchemaAsServer(ctx, databaseURL)
	if err != nil {
		// NewServer gets the same error, and explains it.
		return nil
	}
	mismatch := schema.CheckServed()
	if mismatch == nil {
		return nil
	}
	var reason atomic.Value
	reason.Store(mismatch.Error())
	var listen net.ListenConfig
	operator, err := listen.Listen(ctx, "tcp", settings.OpsListen)
	if err != nil {
		return fmt.Errorf("listening for the operator: %w: free the address or choose another with --ops-listen", err)
	}
	server := (&Server{log: log}).httpServer(ops.Handler(ops.NewMetrics(Version), func(context.Context) error {
		return errors.New(reason.Load().(string))
	}))
	defer server.Close()
	go func() { _ = server.Serve(operator) }()
	log.Warn("not ready", "reason", mismatch.Error(), "operations", "http://"+operator.Addr().String())

	tick := time.NewTicker(schemaInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		now := "the database does not answer"
		if schema, err := postgres.ReadSchemaAsServer(ctx, databaseURL); err == nil {
			mismatch := schema.CheckServed()
			if mismatch == nil {
				return nil
			}
			now = mismatch.Error()
		}
		if reason.Swap(now) != now && ctx.Err() == nil {
			log.Warn("not ready", "reason", now)
		}
	}
}
