package mcp

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// origin is a web page's or a service's: host is name and port, in one spelling.
type origin struct{ scheme, host string }

// parseHome reads the origin of the public address, if there is one.
func parseHome(publicURL string) (origin, error) {
	if publicURL == "" {
		return origin{}, nil
	}
	u, err := url.Parse(publicURL)
	if err != nil {
		return origin{}, fmt.Errorf("reading the public address: %w", err)
	}
	return origin{strings.ToLower(u.Scheme), spelled(u.Host, u.Scheme)}, nil
}

// admits tells whether a request comes from no web page, or from a page of this
// service. Agents send no Origin; browsers send it with every POST.
func (home origin) admits(r *http.Request) bool {
	values := r.Header.Values("Origin")
	if len(values) == 0 {
		return true
	}
	u, err := url.Parse(values[0])
	if err != nil || len(values) > 1 || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return false
	}
	page := origin{u.Scheme, spelled(u.Host, u.Scheme)}
	if page == home {
		return true
	}
	if r.TLS != nil && page.scheme != "https" {
		return false
	}
	return page.host == spelled(r.Host, page.scheme) && !home.rebound(r)
}

// rebound tells whether a request reached this machine's own address by a name
// that is not this machine's: a page can have its own name point here, and is
// then of the same origin. Behind a proxy on this machine, the public address
// is the name to be known by.
func (home origin) rebound(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok || !isLoopback(local.String()) {
		return false
	}
	return !isLoopback(r.Host) && spelled(r.Host, home.scheme) != home.host
}

// spelled gives a host in one spelling, without the port its scheme implies.
func spelled(host, scheme string) string {
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
