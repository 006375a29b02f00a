package mcp

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// origin is a web origin; host is its normalized name and port.
type origin struct{ scheme, host string }

// parsePublicOrigin returns the origin of the public address, which may be empty.
func parsePublicOrigin(publicURL string) (origin, error) {
	u, err := url.Parse(publicURL)
	if err != nil {
		return origin{}, fmt.Errorf("reading the public address: %w", err)
	}
	return origin{strings.ToLower(u.Scheme), normalizeHost(u.Host, u.Scheme)}, nil
}

// allows reports whether a request comes from no web page or from a page of this
// service. Agents send no Origin; browsers send it with every POST.
func (public origin) allows(r *http.Request) bool {
	values := r.Header.Values("Origin")
	if len(values) == 0 {
		return true
	}
	u, err := url.Parse(values[0])
	if err != nil || len(values) > 1 || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return false
	}
	page := origin{u.Scheme, normalizeHost(u.Host, u.Scheme)}
	if page == public {
		return true
	}
	if r.TLS != nil && page.scheme != "https" {
		return false
	}
	return page.host == normalizeHost(r.Host, page.scheme) && !public.isRebinding(r)
}

// isRebinding reports DNS rebinding: a page lets its own name resolve to a
// loopback address, and is then of the same origin as this server. Only the
// loopback names and, behind a proxy, the public address are accepted there.
func (public origin) isRebinding(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok || !isLoopback(local.String()) {
		return false
	}
	return !isLoopback(r.Host) && normalizeHost(r.Host, public.scheme) != public.host
}

// normalizeHost returns the host in lower case, without its scheme's default port.
func normalizeHost(host, scheme string) string {
	host = strings.ToLower(host)
	if scheme == "https" {
		return strings.TrimSuffix(host, ":443")
	}
	return strings.TrimSuffix(host, ":80")
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
