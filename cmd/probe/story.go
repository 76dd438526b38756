package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

// A scene is what happens, and what is to come of it.
type scene struct {
	happens string
	mood    mood
	stays   string // the nodes that stay
	why     string // in the words of whatever holds them back
	// Of the last five new nodes of pool web, three have just failed to become Ready.
	fail bool
	// The probes need not be asked: the scene is over as soon as the right nodes stay.
	unasked bool
}

const everybody = "batch-drifted batch-empty web-drifted web-empty"

var story = []scene{
	{happens: "The probes have not been asked yet.", stays: everybody, why: "nothing has been observed yet", unasked: true},
	{happens: "All is well: the server answers 200, and denies nothing."},
	{
		happens: "The shop is down: /web answers 503.",
		mood:    mood{"/web": unavailable}, stays: "web-drifted web-empty", why: "it answered 503",
	},
	{happens: "It is up again."},
	{
		happens: "The new image is suspected: /batch answers deniedActions: [drift].",
		mood:    mood{"/batch": says(200, "deniedActions: [drift]\n")}, stays: "batch-drifted", why: "it denies",
	},
	{
		happens: "A sale begins: /cluster denies consolidation to the shop, and to nobody drift.",
		mood:    mood{"/cluster": says(200, "deniedActions:\n- name: consolidation\n  nodePools:\n    labels: [team=shop]\n")},
		stays:   "web-empty", why: "it denies",
	},
	{
		happens: "The server is slow: the last word of each answer takes it 3s.",
		mood:    mood{"/web": slow, "/batch": slow, "/cluster": slow}, stays: everybody, why: "not all came",
	},
	{
		happens: "The server is silent: it accepts, and never answers.",
		mood:    mood{"/web": silent, "/batch": silent, "/cluster": silent}, stays: everybody, why: "nothing came",
	},
	{
		happens: "The server answers 200, with a page in HTML. For web's probe only the status counts.",
		mood:    mood{"/web": html, "/batch": html}, stays: "batch-drifted batch-empty", why: "not understood",
	},
	{happens: "All is well again."},
	{
		happens: "Three of the last five new nodes of web fail to become Ready: its breaker opens.",
		fail:    true, stays: "web-drifted", why: "failed to become Ready", unasked: true,
	},
	{happens: "For three seconds no other has failed: the breaker closes by itself.", unasked: true},
}

const (
	tick    = 100 * time.Millisecond // how often to decide, at least
	tooLong = time.Minute            // for a scene
)

// tellStory starts the server, polls it, decides, and tells what changes.
func tellStory(ctx context.Context, w io.Writer) error {
	s, err := startServer()
	if err != nil {
		return err
	}
	defer s.Close()
	var client httpget.Client
	c, err := newCluster(s.port, &client)
	if err != nil {
		return err
	}
	n := &narrator{w: w, start: time.Now()}
	if err := n.begin(c.all()); err != nil {
		return err
	}
	var running sync.WaitGroup
	defer running.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	for i, sc := range story {
		s.mood.Store(&sc.mood)
		d, err := c.play(ctx, sc, tooLong)
		switch {
		case ctx.Err() != nil:
			return nil // interrupted
		case err != nil:
			return err
		}
		if err := n.tell(sc.happens, d); err != nil {
			return err
		}
		if i == 0 {
			running.Go(func() { c.runner.Run(ctx) })
		}
	}
	return n.end()
}

// play decides again and again, until the probes have been asked, and the right nodes stay for the right reason.
func (c *cluster) play(ctx context.Context, sc scene, most time.Duration) (disruptkit.Decision, error) {
	since := time.Now()
	ticks := time.NewTicker(tick)
	defer ticks.Stop()
	for {
		if sc.fail {
			now := time.Now()
			well, failed := probe.Launch{At: now}, probe.Launch{At: now, Failed: true}
			c.launches = []probe.Launch{well, well, failed, failed, failed}
		}
		over := sc.unasked || c.observedSince(since)
		d := c.decide()
		if over && sc.isIn(d) {
			return d, nil
		}
		if time.Since(since) > most {
			return d, fmt.Errorf("for %v now: %s These nodes should stay: %q, and these do: %q",
				most, sc.happens, sc.stays, staying(d))
		}
		select {
		case <-ctx.Done():
			return d, ctx.Err()
		case <-c.runner.Changed():
		case <-ticks.C:
		}
	}
}

// isIn reports whether a decision is what is to come of the scene.
func (sc scene) isIn(d disruptkit.Decision) bool {
	for _, c := range d.Blocked {
		for _, b := range c.Blockers {
			if !strings.Contains(b.Message, sc.why) {
				return false
			}
		}
	}
	return staying(d) == sc.stays
}

// staying names the nodes that stay.
func staying(d disruptkit.Decision) string {
	var names []string
	for _, c := range d.Blocked {
		names = append(names, c.Node)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}
