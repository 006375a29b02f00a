package ops

import (
	"net/http"
	"runtime"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/clientintel/clientintel/internal/postgres"
)

// Metrics are the server's metrics. No label holds data of a client.
type Metrics struct {
	registry   *prometheus.Registry
	registerer prometheus.Registerer // the registry, or one that adds a label
	requests   *prometheus.HistogramVec
	inFlight   prometheus.Gauge
}

// NewMetrics registers the metrics of the process and of requests.
func NewMetrics(version string) *Metrics {
	registry := prometheus.NewRegistry()
	m := &Metrics{
		registry: registry, registerer: registry,
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "clientintel_request_duration_seconds",
			Help:    "Requests by operation, status and caller, and how long they took.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"operation", "status", "caller"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{Name: "clientintel_requests_in_flight", Help: "Requests that are being answered."}),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "clientintel_build_info", Help: "1, with the release and Go's version.",
		ConstLabels: prometheus.Labels{"version": version, "goversion": runtime.Version()},
	})
	build.Set(1)
	m.registry.MustRegister(
		m.requests, m.inFlight, build, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// CountInFlight counts the requests under way in a handler.
func (m *Metrics) CountInFlight(h http.Handler) http.Handler {
	return promhttp.InstrumentHandlerInFlight(m.inFlight, h)
}

// RecordRequest counts one finished request.
func (m *Metrics) RecordRequest(operation string, status int, caller string, took time.Duration) {
	if operation == "" {
		operation = "none"
	}
	m.requests.WithLabelValues(operation, strconv.Itoa(status), caller).Observe(took.Seconds())
}

// RegisterCounter exports a counter that another package keeps.
func (m *Metrics) RegisterCounter(name, help string, value func() int64) {
	m.registerer.MustRegister(prometheus.NewCounterFunc(
		prometheus.CounterOpts{Name: name, Help: help}, func() float64 { return float64(value()) }))
}

// RegisterGauge exports a gauge that another package keeps.
func (m *Metrics) RegisterGauge(name, help string, value func() float64) {
	m.registerer.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
}

// RegisterPool exports a pool's connections.
func (m *Metrics) RegisterPool(name string, pool *postgres.Pool) {
	of := &Metrics{registerer: prometheus.WrapRegistererWith(prometheus.Labels{"pool": name}, m.registry)}
	of.RegisterGauge("clientintel_pool_connections", "Open connections.", func() float64 { return float64(pool.Stat().TotalConns()) })
	of.RegisterGauge("clientintel_pool_connections_in_use", "Connections at work.", func() float64 { return float64(pool.Stat().AcquiredConns()) })
	of.RegisterGauge("clientintel_pool_waiting", "Requests that wait for a connection.", func() float64 { return float64(pool.Waiting()) })
	of.RegisterGauge("clientintel_pool_connections_max", "The most connections.", func() float64 { return float64(pool.Stat().MaxConns()) })
}
