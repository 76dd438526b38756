package metrics

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/report"
)

// refresh is after how many seconds a page that is served shows itself anew.
const refresh = 2

// handler serves what look returns: metrics at /metrics, the page at /, for an engine, with times in a zone.
func handler(as engine.Engine, zone *time.Location, look func() (picture, error)) http.Handler {
	registry := newRegistry(func() (report.Report, error) {
		now, err := look()
		return now.report, err
	})
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		now, err := look()
		var text []byte
		if err == nil {
			text, err = page(now, as, zone, refresh)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
		_, _ = w.Write(text) // whoever asked is gone
	})
	return mux
}

// serve serves until ctx ends.
func (o options) serve(ctx context.Context, stderr io.Writer, look func() (picture, error)) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", o.listen)
	if err != nil {
		return fmt.Errorf("--listen %s: %w", o.listen, err)
	}
	fmt.Fprintf(stderr, "http://%s/ is the page, http://%[1]s/metrics are the metrics; interrupt to end\n", listener.Addr())
	chosen := func() (picture, error) {
		p, err := look()
		return narrow(p, o.choice), err
	}
	server := &http.Server{Handler: handler(o.policy.As, o.zone, chosen), ReadHeaderTimeout: 5 * time.Second}
	go func() {
		<-ctx.Done()
		server.Close()
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
