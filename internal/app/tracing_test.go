package app_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/test/apitest"
)

// receiver is a collector of traces.
type receiver struct {
	mu      sync.Mutex
	spans   map[string]*trace.Span // by request id
	sent    []byte                 // all of it
	service string
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body := io.Reader(req.Body)
	if req.Header.Get("Content-Encoding") == "gzip" {
		body, _ = gzip.NewReader(req.Body)
	}
	text, _ := io.ReadAll(body)
	var told collector.ExportTraceServiceRequest
	if err := proto.Unmarshal(text, &told); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent = append(r.sent, text...)
	for _, resource := range told.ResourceSpans {
		for _, a := range resource.Resource.Attributes {
			if a.Key == "service.name" {
				r.service = a.Value.GetStringValue()
			}
		}
		for _, scope := range resource.ScopeSpans {
			for _, span := range scope.Spans {
				r.spans[attributes(span)["clientintel.request_id"]] = span
			}
		}
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

func attributes(s *trace.Span) map[string]string {
	values := map[string]string{}
	for _, a := range s.Attributes {
		values[a.Key] = a.Value.GetStringValue()
		if _, number := a.Value.Value.(*common.AnyValue_IntValue); number {
			values[a.Key] = strconv.FormatInt(a.Value.GetIntValue(), 10)
		}
	}
	return values
}

// await is the span of a request.
func (r *receiver) await(t *testing.T, requestID string) *trace.Span {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		r.mu.Lock()
		span := r.spans[requestID]
		r.mu.Unlock()
		if span != nil {
			return span
		}
	}
	t.Fatalf("the collector was never told of %s", requestID)
	return nil
}

// A span has route, status and rows, in the caller's own trace, and
// of nothing that a caller or a customer said.
func TestTraces_OneSpanARequest(t *testing.T) {
	got := &receiver{spans: map[string]*trace.Span{}}
	listening := httptest.NewServer(got)
	defer listening.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", listening.URL)
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "20")
	t.Setenv("OTEL_SERVICE_NAME", "clientintel-test")
	srv, seed := apitest.Start(t)
	for range 3 {
		seed.Interview(t, "acme", nil)
	}
	key := srv.KeyFor(t, "acme", auth.ReadInterviewsMetadata)
	const parent = "0af7651916cd43dd8448eb211c80319c"
	header := func(id string) http.Header {
		return http.Header{"X-Request-Id": {id}, "Traceparent": {"00-" + parent + "-b7ad6b7169203331-01"}, "Baggage": {"said=quietly"}}
	}
	const v1 = "/api/client/v1"
	srv.Send(t, http.MethodGet, v1+"/interviews?status=completed&limit=2", key, header("list")).WantStatus(t, 200)
	srv.Send(t, http.MethodGet, v1+"/campaigns?status=whispered", key, header("refused")).WantStatus(t, 403)
	srv.Send(t, http.MethodGet, v1+"/openapi.json?x=whispered", "", header("public")).WantStatus(t, 200)
	srv.Send(t, http.MethodGet, "/whispered", "", header("nowhere")).WantStatus(t, 404)

	list := got.await(t, "list")
	if list.Name != "GET "+v1+"/interviews" || list.Kind != trace.Span_SPAN_KIND_SERVER || list.EndTimeUnixNano <= list.StartTimeUnixNano {
		t.Errorf("the span is %v", list)
	}
	for name, want := range map[string]string{
		"http.route": v1 + "/interviews", "http.response.status_code": "200", "clientintel.rows": "2", "clientintel.operation": "listInterviews",
	} {
		if a := attributes(list); a[name] != want {
			t.Errorf("%s is %q, want %q", name, a[name], want)
		}
	}
	if id := list.TraceId; !strings.EqualFold(hexText(id), parent) {
		t.Errorf("the trace is %x, not the caller's", id)
	}
	if !strings.Contains(srv.Logs.String(), `"trace_id":"`+parent+`"`) {
		t.Errorf("no line has the trace's id: %s", srv.Logs)
	}
	if refused := got.await(t, "refused"); attributes(refused)["http.response.status_code"] != "403" || refused.Status.GetCode() == trace.Status_STATUS_CODE_ERROR {
		t.Errorf("a refusal: %v", refused)
	}
	if public := got.await(t, "public"); public.Name != "GET "+v1+"/openapi.json" {
		t.Errorf("a document: %v", public)
	}
	if nowhere := got.await(t, "nowhere"); nowhere.Name != "GET" {
		t.Errorf("an unknown path: %v", nowhere)
	}
	got.mu.Lock()
	defer got.mu.Unlock()
	for _, secret := range []string{key, key[:16], "whispered", "quietly", "completed", "Ada", "It just works"} {
		if bytes.Contains(got.sent, []byte(secret)) {
			t.Errorf("the collector was told %q", secret)
		}
	}
	if got.service != "clientintel-test" {
		t.Errorf("the service is %q", got.service)
	}
}

func hexText(b []byte) string {
	const digits = "0123456789abcdef"
	var text strings.Builder
	for _, one := range b {
		text.WriteByte(digits[one>>4])
		text.WriteByte(digits[one&15])
	}
	return text.String()
}

// Where no collector is named, nothing of it runs.
func TestTraces_OffByDefault(t *testing.T) {
	for _, name := range []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"} {
		t.Setenv(name, "")
	}
	server := newServer(t)
	ask(t, server.Handler, "/api/client/v1/openapi.json")
	var stacks bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&stacks, 1); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(stacks.String(), "go.opentelemetry.io") {
		t.Errorf("something of it runs:\n%s", stacks.String())
	}
}

// A missing collector delays nothing, and the log reports it.
func TestTraces_AnUnreachableCollectorIsLogged(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://127.0.0.1:1/v1/traces")
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "200")
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "10")
	srv, _ := apitest.Start(t)
	srv.Get(t, "/api/client/v1/openapi.json", "").WantStatus(t, 200)
	for deadline := time.Now().Add(30 * time.Second); !strings.Contains(srv.Logs.String(), "telling the collector of traces"); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the log does not tell: %s", srv.Logs)
		}
	}
}

func TestTraces_FollowTheVariables(t *testing.T) {
	t.Parallel()
	for want, c := range map[string][]map[string]string{
		"on":  {{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x"}, {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://x", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}},
		"off": {{}, {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x", "OTEL_SDK_DISABLED": "true"}, {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x", "OTEL_TRACES_EXPORTER": "none"}},
		"err": {{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}},
	} {
		for _, env := range c {
			s, err := config.FromEnv(func(name string) string { return env[name] })
			if got := map[bool]string{true: "on", false: "off"}[s.Server.Traces]; err == nil && got != want || (err != nil) != (want == "err") {
				t.Errorf("%v: %s, %v; want %s", env, got, err, want)
			}
		}
	}
}
