package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"time"

	"golang.org/x/net/netutil"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/search"
)

// gcPercent collects garbage half as often as by default: little of a response lives on,
// and collecting took an eighth of the server's CPU time.
const gcPercent = 200

// Serve listens until ctx is done. Then it is not ready, but accepts for the drain delay,
// so that load balancers remove it first, closes, and lets the requests in flight finish.
// ready is called with both addresses once the server listens.
func (s *Server) Serve(ctx context.Context, ready func(address, operations string)) error {
	api, err := listenAPI(ctx, s.settings.Listen)
	if err != nil {
		return err
	}
	defer api.Close()
	operator, err := Listen(ctx, s.settings.OpsListen, "--ops-listen")
	if err != nil {
		return err
	}
	defer operator.Close()

	apiServer, opsServer := s.httpServer(s.closeWhenDraining(s.Handler)), s.httpServer(s.OpsHandler)
	failed := make(chan error, 2)
	limited := netutil.LimitListener(api, maxConnections)
	if s.settings.TLSCert == "" {
		go func() { failed <- apiServer.Serve(limited) }()
	} else {
		certificate, err := newCertificate(s.settings.TLSCert, s.settings.TLSKey, s.log)
		if err != nil {
			return err
		}
		apiServer.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: certificate.get}
		go func() { failed <- apiServer.ServeTLS(limited, "", "") }()
	}
	go func() { failed <- opsServer.Serve(operator) }()
	maintenance, stopMaintenance := context.WithCancel(context.WithoutCancel(ctx)) // until the last request
	defer stopMaintenance()
	debug.FreeOSMemory() // which starting allocated
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	go s.repeat(maintenance, "maintaining the request log", time.Hour, db.New(s.admission).MaintainRequestLog)
	if s.settings.ReplicaURL != "" {
		go s.repeat(maintenance, "sending the standby heartbeat", max(s.settings.ReplicaMaxLag/4, 50*time.Millisecond), s.sendStandbyHeartbeat)
		go s.repeat(maintenance, "checking the standby", time.Second, s.reads.CheckFresh)
	}
	go s.repeat(maintenance, "reading the database's health", time.Minute, s.readHealth)
	go s.repeat(maintenance, "keeping the counts of interviews", measurementInterval, s.KeepMeasurement)
	go s.auditor.Run(maintenance)
	go search.KeepIndexed(maintenance, s.maintenance, search.DefaultLimits(), s.log)
	ready(api.Addr().String(), operator.Addr().String())

	select {
	case err := <-failed:
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	s.draining.Store(true)
	s.log.Info("stopping: not ready, still accepting", "for", s.settings.DrainDelay.String())
	select {
	case err := <-failed:
		return fmt.Errorf("serving: %w", err)
	case <-time.After(s.settings.DrainDelay):
	}
	s.log.Info("stopping: requests in flight may finish", "within", s.settings.DrainTimeout.String())
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.settings.DrainTimeout)
	defer cancel()
	// Accepting ends first: a connection accepted during Shutdown would be lost.
	_ = api.Close()
	if err := <-failed; !errors.Is(err, net.ErrClosed) {
		s.log.Warn("serving failed while it was to end", "error", err.Error())
	}
	err = apiServer.Shutdown(drain)
	_ = opsServer.Shutdown(drain)
	if err != nil {
		_ = apiServer.Close()
		return fmt.Errorf("some requests did not finish in time: %w", err)
	}
	return nil
}

// closeWhenDraining sends Connection: close while draining: closing an idle connection
// later could lose a request that is being sent.
func (s *Server) closeWhenDraining(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.draining.Load() {
			w.Header().Set("Connection", "close")
		}
		h.ServeHTTP(w, r)
	})
}

// maxConnections bounds the open connections; further ones wait to be accepted.
const maxConnections = 8192

// maxHeaderBytes bounds a request's line and headers; net/http reads 4 KiB more, and 8 KiB
// more from a connection's second request on.
const maxHeaderBytes = 8 << 10

// httpServer has a timeout for everything that a caller could delay.
func (s *Server) httpServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       15 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
		// OPTIONS * is refused like any unknown path.
		DisableGeneralOptionsHandler: true,
	}
}
