package conformance

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/clientintel/clientintel/internal/access"
)

// Options of a run.
type Options struct {
	// BaseURL is the deployment's address, without the path of the API.
	BaseURL string
	// Keys are asked with, each of any client and scopes.
	Keys []string
	// MaxRequests is never exceeded, by whatever is counted or not.
	MaxRequests int
	// MaxWait is the longest Retry-After that is honoured, once in a run.
	MaxWait time.Duration
	// Show is called with each check when it is made, Progress with the
	// requests sent so far and what is asked now.
	Show     func(Check)
	Progress func(requests int, doing string)
}

// OptionError is a mistake in the options.
type OptionError struct{ error }

func (o Options) check() error {
	u, err := url.Parse(o.BaseURL)
	switch {
	case err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return &OptionError{fmt.Errorf("--base-url must be an address such as https://intelligence.example.com, not %q", o.BaseURL)}
	case strings.Contains(u.Path, prefix):
		return &OptionError{fmt.Errorf("--base-url must end before %s", prefix)}
	case len(o.Keys) == 0:
		return &OptionError{errors.New("--key is needed: most of what is promised is promised to keys")}
	case o.MaxRequests < 1:
		return &OptionError{errors.New("--max-requests must be at least 1")}
	case o.MaxWait < 0:
		return &OptionError{errors.New("--max-wait must not be negative")}
	}
	for i, key := range o.Keys {
		if key == "" || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return &OptionError{fmt.Errorf("--key: the %d. is no key", i+1)}
		}
	}
	return nil
}

// subject is a key, and what was found out about it.
type subject struct {
	label  string
	key    string
	client string
	// scopes holds what is known; a scope that is in neither way known is absent.
	scopes map[access.Scope]bool
	// interview is one that the key sees.
	interview string
}

func (s *subject) has(scope access.Scope) bool { return s.scopes[scope] }

// needs skips what the key cannot be asked for.
func (s *subject) needs(scope access.Scope) error {
	has, known := s.scopes[scope]
	switch {
	case !known:
		return skipf("whether the key has %s is not known", scope)
	case !has:
		return skipf("the key lacks %s", scope)
	}
	return nil
}

// run is one run.
type run struct {
	o        Options
	contract *contract
	wire     *wire
	watch    *watch
	subjects []*subject
	report   Report
}

// Run asks a deployment for what it promises. An error says that nothing could
// be asked at all.
func Run(ctx context.Context, o Options) (Report, error) {
	if err := o.check(); err != nil {
		return Report{}, err
	}
	c, err := loadContract()
	if err != nil {
		return Report{}, err
	}
	r := &run{o: o, contract: c, wire: newWire(o), watch: newWatch(c)}
	r.wire.look = r.watch.look
	r.report = Report{BaseURL: r.wire.base, Checks: []Check{}}
	for i, key := range o.Keys {
		r.subjects = append(r.subjects, &subject{label: fmt.Sprintf("key %d", i+1), key: key, scopes: map[access.Scope]bool{}})
	}
	if _, err := r.wire.get(ctx, nil, "/openapi.json"); err != nil {
		return r.report, err
	}
	r.askDocuments(ctx)
	r.askWithoutKey(ctx)
	for _, s := range r.subjects {
		r.askScopes(ctx, s)
	}
	// What costs little comes first, so that a small budget sees most.
	for _, s := range r.widest() {
		r.askRefusals(ctx, s)
		r.askCursors(ctx, s)
		r.askWalks(ctx, s)
	}
	for _, s := range r.subjects {
		r.askAgents(ctx, s)
	}
	if err := ctx.Err(); err != nil {
		return r.report, err
	}
	r.tellWatched()
	r.report.Requests = r.wire.used
	return r.report, nil
}

// widest is one key of each client, the one that sees most.
func (r *run) widest() []*subject {
	var chosen []*subject
	for _, s := range r.subjects {
		if s.client == "" {
			continue
		}
		known := false
		for i, other := range chosen {
			if other.client == s.client {
				known = true
				if count(s.scopes) > count(other.scopes) {
					chosen[i] = s
				}
			}
		}
		if !known {
			chosen = append(chosen, s)
		}
	}
	if len(chosen) == 0 {
		return r.subjects[:1] // to say what could not be asked
	}
	return chosen
}

func count(scopes map[access.Scope]bool) int {
	n := 0
	for _, has := range scopes {
		if has {
			n++
		}
	}
	return n
}
