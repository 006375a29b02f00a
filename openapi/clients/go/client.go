package clientintel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/openapi/clients/go/contract"
)

// Settings name the deployment and the key.
type Settings struct {
	// BaseURL is the deployment, as https://intelligence.example.com, without
	// the path of the API.
	BaseURL string
	// Key is the API key.
	Key string
	// HTTPClient sends the requests. Nil: one that gives up after two minutes. A copy
	// of it follows no redirect, which would take the key to another address, unless
	// its CheckRedirect says otherwise.
	HTTPClient *http.Client
	// MaxWait bounds what one request may wait in all, for the quota and for
	// every Retry-After together. What would take longer fails at once. Zero: two
	// minutes; negative: no waiting. A walk that may outlast its key's hour wants an hour.
	MaxWait time.Duration
}

const (
	defaultTimeout = 2 * time.Minute
	defaultMaxWait = 2 * time.Minute
)

// Client reads what one key may see. It is safe for concurrent use.
type Client struct {
	api contract.ClientInterface
}

// New makes a client; nothing is sent yet.
func New(s Settings) (*Client, error) {
	u, err := url.Parse(s.BaseURL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, fmt.Errorf("clientintel: BaseURL must be an address such as https://intelligence.example.com, not %q", s.BaseURL)
	}
	if s.Key == "" || strings.ContainsFunc(s.Key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("clientintel: Key is empty, or no key")
	}
	sender := http.Client{Timeout: defaultTimeout}
	if s.HTTPClient != nil {
		sender = *s.HTTPClient
	}
	if sender.CheckRedirect == nil {
		sender.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	retrying := &retryingClient{http: &sender, maxWait: s.MaxWait}
	if retrying.maxWait == 0 {
		retrying.maxWait = defaultMaxWait
	}
	api, err := contract.NewClient(s.BaseURL, contract.WithHTTPClient(retrying),
		contract.WithRequestEditorFn(func(_ context.Context, req *http.Request) error {
			req.Header.Set("Authorization", "Bearer "+s.Key)
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
