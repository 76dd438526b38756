package metrics

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/report"
)

// script draws the page that is served anew whenever it has changed.
//
//go:embed page.js
var script []byte

// policyOfContent lets a page load its script, and ask for itself. Nothing else may be loaded, and no other page may show it.
const policyOfContent = "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// A site is what is served: a page at /, for an engine, with times in a zone, and metrics at /metrics, of what look returns.
type site struct {
	as   engine.Engine
	zone *time.Location
	look func() (picture, error)
}

// A drawing is the last page that was made, and of what: to make one takes a while in a large cluster, and pages ask each other second.
type drawing struct {
	mu    sync.Mutex
	read  time.Time
	stale *stale
	text  []byte
	tag   string
}

// of returns the page of a picture, and its ETag.
func (d *drawing) of(p picture, s site) (text []byte, tag string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.text != nil && p.read.Equal(d.read) && p.stale == d.stale {
		return d.text, d.tag, nil
	}
	text, err = page(p, s.as, s.zone, true)
	if err != nil {
		return nil, "", err
	}
	sum := sha256.Sum256(text)
	d.read, d.stale, d.text, d.tag = p.read, p.stale, text, `"`+hex.EncodeToString(sum[:12])+`"`
	return d.text, d.tag, nil
}

// handler serves the site on a host.
func (s site) handler(h host) http.Handler {
	registry := newRegistry(func() (report.Report, error) {
		now, err := s.look()
		if err == nil && now.stale != nil {
			err = errors.New(now.stale.why)
		}
		return now.report, err
	})
	metrics := promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	if h.loopback { // elsewhere, Prometheus knows it by names that nobody can foresee
		metrics = h.only(metrics)
	}
	drawn, mux := &drawing{}, http.NewServeMux()
	mux.Handle("GET /metrics", metrics)
	mux.Handle("GET /{$}", h.only(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.page(drawn, w, r) })))
	mux.Handle("GET /page.js", h.only(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		_, _ = w.Write(script) // whoever asked is gone
	})))
	return mux
}

// page serves the page. Its ETag changes whenever the page does.
func (s site) page(d *drawing, w http.ResponseWriter, r *http.Request) {
	now, err := s.look()
	var text []byte
	var tag string
	if err == nil {
		text, tag, err = d.of(now, s)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", policyOfContent)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	_, _ = w.Write(text) // whoever asked is gone
}

// listen listens at an address.
func listen(ctx context.Context, address string) (net.Listener, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("--listen %s: %w", address, err)
	}
	return listener, nil
}

// serve serves until ctx ends.
func (s site) serve(ctx context.Context, listener net.Listener, asked string) error {
	server := &http.Server{Handler: s.handler(newHost(asked, listener.Addr())), ReadHeaderTimeout: 5 * time.Second}
	go func() {
		<-ctx.Done()
		server.Close()
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// serve serves what look returns until ctx ends.
func (o options) serve(ctx context.Context, stderr io.Writer, look func() (picture, error)) error {
	listener, err := listen(ctx, o.listen)
	if err != nil {
		return err
	}
	fmt.Fprintf(stderr, "http://%s/ is the page, http://%[1]s/metrics are the metrics; interrupt to end\n", listener.Addr())
	chosen := func() (picture, error) {
		p, err := look()
		return narrow(p, o.choice), err
	}
	return site{o.Policy.As, o.Zone, chosen}.serve(ctx, listener, o.listen)
}
