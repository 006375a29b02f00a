package clientintel

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/openapi/clients/go/contract"
)

// Settings name the deployment and the key. All may be left out.
type Settings struct {
	// BaseURL is the service, as https://intelligence.example.com, with or without
	// /api/client/v1. Empty: the variable CLIENTINTEL_URL.
	BaseURL string
	// Key is the API key. Empty: the variable CLIENTINTEL_KEY.
	Key string
	// HTTPClient sends the requests. Nil: one that gives up after two minutes. A copy
	// of it follows no redirect, which would take the key to another address, unless
	// its CheckRedirect says otherwise.
	HTTPClient *http.Client
	// MaxWait bounds what one request may wait in all, for the quota and for
	// every Retry-After together. What would take longer fails at once. Zero: 30
	// seconds; negative: no waiting. A walk that may outlast its key's hour wants an hour.
	MaxWait time.Duration
	// Tries is how often one request is sent that is refused for the quota, or while
	// the service is out of reach. Zero: 2.
	Tries int
	// Logger is told of each wait. Nil: the default one.
	Logger *slog.Logger
}

const (
	defaultTimeout = 2 * time.Minute
	defaultMaxWait = 30 * time.Second
	defaultTries   = 2
	path           = "/api/client/v1"
)

// Client reads what one key may see. It is safe for concurrent use.
type Client struct {
	api contract.ClientInterface
}

// New makes a client; nothing is sent yet.
func New(s Settings) (*Client, error) {
	given, key := cmp.Or(s.BaseURL, os.Getenv("CLIENTINTEL_URL")), cmp.Or(s.Key, os.Getenv("CLIENTINTEL_KEY"))
	if given == "" {
		return nil, errors.New("clientintel: no address: set CLIENTINTEL_URL, or BaseURL, such as https://intelligence.example.com")
	}
	u, err := url.Parse(given)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("clientintel: BaseURL (CLIENTINTEL_URL) must be an address such as https://intelligence.example.com, not %q", given)
	}
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), path)
	if key == "" {
		return nil, errors.New("clientintel: no key: set CLIENTINTEL_KEY, or Key")
	}
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("clientintel: Key (CLIENTINTEL_KEY) is no API key: it has spaces or other characters that no key has")
	}
	sender := http.Client{Timeout: defaultTimeout}
	if s.HTTPClient != nil {
		sender = *s.HTTPClient
	}
	if sender.CheckRedirect == nil {
		sender.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	retrying := &retryingClient{
		http: &sender, maxWait: cmp.Or(s.MaxWait, defaultMaxWait), tries: cmp.Or(s.Tries, defaultTries),
		log: cmp.Or(s.Logger, slog.Default()),
	}
	api, err := contract.NewClient(u.String(), contract.WithHTTPClient(retrying),
		contract.WithRequestEditorFn(func(_ context.Context, req *http.Request) error {
			req.Header.Set("Authorization", "Bearer "+key)
			req.Header.Set("User-Agent", "clientintel-goclient")
			return nil
		}))
	if err != nil {
		return nil, fmt.Errorf("clientintel: %w", err)
	}
	return &Client{api: api}, nil
}

// Interview reads one interview.
func (c *Client) Interview(ctx context.Context, id uuid.UUID) (contract.InterviewDetailResponse, error) {
	res, err := c.api.GetInterview(ctx, id) //nolint:bodyclose // decode closes it
	return decode[contract.InterviewDetailResponse](res, err)
}

// Analytics reads the series of one window of time.
func (c *Client) Analytics(
	ctx context.Context, params contract.GetInterviewAnalyticsParams,
) (contract.InterviewAnalyticsResponse, error) {
	res, err := c.api.GetInterviewAnalytics(ctx, &params) //nolint:bodyclose // decode closes it
	return decode[contract.InterviewAnalyticsResponse](res, err)
}

// Search finds interviews whose client-safe extraction contains a text.
func (c *Client) Search(
	ctx context.Context, params contract.SearchIntelligenceParams,
) (contract.IntelligenceSearchResponse, error) {
	res, err := c.api.SearchIntelligence(ctx, &params) //nolint:bodyclose // decode closes it
	return decode[contract.IntelligenceSearchResponse](res, err)
}

// decode reads a response, or its error.
func decode[T any](res *http.Response, err error) (T, error) {
	var answer T
	if err != nil {
		return answer, fmt.Errorf("clientintel: %w", err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return answer, responseError(res)
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return answer, fmt.Errorf("clientintel: the answer breaks off: %w", err)
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return answer, fmt.Errorf("clientintel: the answer is not as the contract has it: %w", err)
	}
	return answer, nil
}
