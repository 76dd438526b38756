package poll_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/poll"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

// "a thousand probes at once", in real time, of a server that never answers half of them.
func TestAThousandProbesOfARealServer(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/silent") {
			<-r.Context().Done()
			return
		}
		fmt.Fprintln(w, "deniedActions:\n- drift")
	}))
	defer s.Close()
	var fast, silent []probe.Probe
	for i := range 500 {
		p := probe.Probe{Host: "127.0.0.1", Port: s.Listener.Addr().(*net.TCPAddr).Port, PeriodSeconds: 1, Mode: probe.BodyMode}
		p.Path, p.TimeoutSeconds = fmt.Sprint("/fast/", i), 60 // however slow the machine is
		fast = append(fast, p)
		p.Path, p.TimeoutSeconds = fmt.Sprint("/silent/", i), 1
		silent = append(silent, p)
	}
	var client httpget.Client
	r := poll.New(&client, poll.YAML)
	r.Set(append(fast, silent...))
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	var running sync.WaitGroup
	running.Go(func() { r.Run(ctx) })
	for {
		denied, unanswered := count(r.Verdicts(fast...), string(candidate.CodeDenied)), count(r.Verdicts(silent...), string(candidate.CodeNoAnswer))
		if denied == len(fast) && unanswered == len(silent) {
			break
		}
		select {
		case <-ctx.Done():
			t.Fatalf("%d deny, and %d have not answered", denied, unanswered)
		case <-r.Changed():
		}
	}
	stop()
	running.Wait()
}

func count(verdicts []probe.Verdict, code string) int {
	n := 0
	for _, v := range verdicts {
		if string(v.Code) == code {
			n++
		}
	}
	return n
}
