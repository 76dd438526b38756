package metrics

import (
	"net"
	"net/http"
	"slices"
	"strings"
)

// A host is where a page is served. It knows by which names browsers reach it: any other is that of somebody who has pointed a name of
// his own at this machine, so that a page of his may read ours (DNS rebinding).
type host struct {
	names    []string // in lower case
	loopback bool     // nobody else can reach it
}

// newHost returns the host of a listener that was asked for by an address.
func newHost(asked string, address net.Addr) host {
	h := host{names: []string{"localhost"}}
	if name, _, err := net.SplitHostPort(asked); err == nil && name != "" {
		h.names = append(h.names, strings.ToLower(name))
	}
	if tcp, ok := address.(*net.TCPAddr); ok {
		h.loopback = tcp.IP.IsLoopback()
	}
	return h
}

// knows reports whether a request is for this host, by name or by an IP address.
func (h host) knows(r *http.Request) bool {
	name := r.Host
	if without, _, err := net.SplitHostPort(name); err == nil {
		name = without
	}
	name = strings.ToLower(strings.TrimSuffix(strings.Trim(name, "[]"), "."))
	return net.ParseIP(name) != nil || slices.Contains(h.names, name)
}

// only answers requests for this host alone.
func (h host) only(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !h.knows(r) {
			http.Error(w, "this page is not served by that name: open it by the address that the command prints", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// scraped serves metrics at /metrics. If others reach the host, Prometheus may know it by any name.
func (h host) scraped(metrics http.Handler) http.Handler {
	if h.loopback {
		metrics = h.only(metrics)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", metrics)
	return mux
}
