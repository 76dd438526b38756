package metrics

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/disruptkit/disruptkit/cmd/engine"
)

// script draws the page that is served anew whenever it has changed.
//
//go:embed page.js
var script []byte

// policyOfContent lets a page load its script, and ask for itself. Nothing else may be loaded, and no other page may show it.
const policyOfContent = "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// A site is a page at /, for an engine, with times in a zone, of the picture that look returns.
type site struct {
	as   engine.Engine
	zone *time.Location
	look func() picture
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
	text, err = page(p, s.as, s.zone)
	if err != nil {
		return nil, "", err
	}
	sum := sha256.Sum256(text)
	d.read, d.stale, d.text, d.tag = p.read, p.stale, text, `"`+hex.EncodeToString(sum[:12])+`"`
	return d.text, d.tag, nil
}

// handler serves the site on a host.
func (s site) handler(h host) http.Handler {
	drawn, mux := &drawing{}, http.NewServeMux()
	mux.Handle("GET /{$}", h.only(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.page(drawn, w, r) })))
	mux.Handle("GET /page.js", h.only(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		_, _ = w.Write(script) // whoever asked is gone
	})))
	return mux
}

// page serves the page. Its ETag changes whenever the page does.
func (s site) page(d *drawing, w http.ResponseWriter, r *http.Request) {
	text, tag, err := d.of(s.look(), s)
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
func serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	go func() {
		<-ctx.Done()
		server.Close()
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
