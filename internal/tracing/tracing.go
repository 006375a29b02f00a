package tracing

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Request is what a span records of a finished request.
type Request struct {
	// Header may have the caller's trace, as W3C traceparent. Nothing else of it is read.
	Header http.Header
	Method string
	// Operation and Route are the contract's operationId and path; empty when
	// unknown.
	Operation string
	Route     string
	RequestID string
	Status    int
	Rows      int
	// Failed marks a failure of the server.
	Failed bool
	Began  time.Time
	Took   time.Duration
}

// Tracer exports spans in batches, after the requests.
type Tracer struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
	parent   propagation.TraceContext
}

// flushTimeout bounds how long a stopping server waits for its collector.
const flushTimeout = 5 * time.Second

// Open starts a tracer from the standard variables: OTEL_EXPORTER_OTLP_* (where
// to and how), OTEL_TRACES_SAMPLER (how many), OTEL_SERVICE_NAME and
// OTEL_RESOURCE_ATTRIBUTES (the resource). An unreachable collector does not delay
// requests: spans are dropped, and that is logged.
func Open(ctx context.Context, version string, log *slog.Logger) (*Tracer, error) {
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("opening the traces' exporter: %w", err)
	}
	described, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "clientintel"), attribute.String("service.version", version)),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("describing this server for traces: %w", err)
	}
	// By default the library is silent or writes plain text to standard error.
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("telling the collector of traces", "error", err.Error()) }))
	otel.SetLogger(logr.FromSlogHandler(log.Handler()))
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(described))
	return &Tracer{provider: provider, tracer: provider.Tracer("github.com/clientintel/clientintel")}, nil
}

// CallerTraceID is the id of the trace that a caller names; empty: none.
func CallerTraceID(header http.Header) string {
	if header.Get("Traceparent") == "" {
		return ""
	}
	ctx := propagation.TraceContext{}.Extract(context.Background(), propagation.HeaderCarrier(header))
	if id := trace.SpanContextFromContext(ctx).TraceID(); id.IsValid() {
		return id.String()
	}
	return ""
}

// Record exports one request and returns the id of its trace.
func (t *Tracer) Record(r Request) string {
	ctx := t.parent.Extract(context.Background(), propagation.HeaderCarrier(r.Header))
	name := r.Method
	attributes := []attribute.KeyValue{
		attribute.String("http.request.method", r.Method),
		attribute.Int("http.response.status_code", r.Status),
		attribute.String("clientintel.request_id", r.RequestID),
		attribute.Int("clientintel.rows", r.Rows),
	}
	if r.Operation != "" {
		attributes = append(attributes, attribute.String("clientintel.operation", r.Operation))
	}
	if r.Route != "" {
		name += " " + r.Route
		attributes = append(attributes, attribute.String("http.route", r.Route))
	}
	_, span := t.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindServer),
		trace.WithTimestamp(r.Began), trace.WithAttributes(attributes...))
	if r.Failed {
		span.SetStatus(codes.Error, "")
	}
	span.End(trace.WithTimestamp(r.Began.Add(r.Took)))
	return span.SpanContext().TraceID().String()
}

// Close exports the remaining spans.
func (t *Tracer) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil {
		otel.Handle(err)
	}
}
