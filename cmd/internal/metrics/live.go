package metrics

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/disruptkit/disruptkit/cmd/internal/choose"
	"github.com/disruptkit/disruptkit/cmd/internal/planner"
)

// script draws the page that is served anew whenever it has changed.
//
//go:embed page.js
var script []byte

// policyOfContent lets a page load its script, and ask for itself. Nothing else may be loaded, and no other page may show it.
const policyOfContent = "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// A stale says why a picture is old.
type stale struct {
	why   string
	since time.Time // when reading failed first
}

// A live is the page of a cluster that is read again and again. It is safe for concurrent use.
type live struct {
	watch watch
	zone  *time.Location
	pool  string // "": all are shown

	mu    sync.Mutex
	last  picture
	text  []byte
	tag   string // the ETag of the text
	fault error  // why there is no text
}

// take takes in what was read.
func (l *live) take(r planner.Rolled) {
	p := l.watch.look(r.Cluster, r.Now)
	p.rolled = &r
	l.mu.Lock()
	defer l.mu.Unlock()
	l.draw(p)
}

// fail notes why nothing could be read. What was seen last is stale until something is.
func (l *live) fail(why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p, since := l.last, time.Now()
	if p.stale != nil {
		since = p.stale.since
	}
	p.stale = &stale{why.Error(), since}
	l.draw(p)
}

// draw makes the page of a picture: once, however many ask for it.
func (l *live) draw(p picture) {
	l.last = p
	l.text, l.fault = page(narrow(p, l.pool), l.watch.as, l.zone)
	sum := sha256.Sum256(l.text)
	l.tag = `"` + hex.EncodeToString(sum[:12]) + `"`
}

// narrow returns what a picture shows of a pool; "": of all. Everything was decided on the whole cluster.
func narrow(p picture, pool string) picture {
	if pool == "" {
		return p
	}
	p.in, p.decisions = choose.Narrow(p.in, p.decisions, pool)
	p.events = slices.DeleteFunc(slices.Clone(p.events), func(e event) bool { return e.Pool != pool })
	return p
}

// status returns the exit status of whoever stops looking now.
func (l *live) status() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last.rolled.Broken || l.last.stale != nil {
		return faulty
	}
	return good
}

// handler serves the page on a host.
func (l *live) handler(h host) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", h.only(http.HandlerFunc(l.page)))
	mux.Handle("GET /page.js", h.only(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		_, _ = w.Write(script) // whoever asked is gone
	})))
	return mux
}

// page serves the page. Its ETag changes whenever the page does.
func (l *live) page(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	text, tag, err := l.text, l.tag, l.fault
	l.mu.Unlock()
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
