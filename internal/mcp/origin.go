package mcp

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// origins are the web origins whose pages may call the endpoint.
type origins struct {
	crossOrigin *http.CrossOriginProtection
	public      *url.URL
}

// newOrigins allows pages of the public address, which may be empty, and those of the
// host that a request was sent to.
func newOrigins(publicURL string) (origins, error) {
	public, err := url.Parse(strings.ToLower(publicURL))
	if err != nil {
		return origins{}, fmt.Errorf("reading the public address: %w", err)
	}
	o := origins{http.NewCrossOriginProtection(), public}
	if public.Host == "" {
		return o, nil
	}
	if err := o.crossOrigin.AddTrustedOrigin(public.Scheme + "://" + public.Host); err != nil {
		return origins{}, fmt.Errorf("allowing the public address: %w", err)
	}
	return o, nil
}

// allow reports whether a request comes from no web page or from a page of this service.
// Agents send no Origin; browsers send it with every POST.
func (o origins) allow(r *http.Request) bool {
	post := &http.Request{Method: http.MethodPost, Header: r.Header, Host: r.Host, URL: r.URL} // a GET would be allowed
	if o.crossOrigin.Check(post) != nil {
		return false
	}
	origin := r.Header.Get("Origin")
	return origin == "" || origin == o.public.Scheme+"://"+o.public.Host || !o.isRebinding(r)
}

// isRebinding reports DNS rebinding: a page lets its own name resolve to a loopback
// address, and is then of the same origin as this server. Only the loopback names and,
// behind a proxy, the public address are accepted there.
func (o origins) isRebinding(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return ok && isLoopback(local.String()) && !isLoopback(r.Host) && !strings.EqualFold(r.Host, o.public.Host)
}

func isLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}
