package main

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/topology"
)

// anyOutage returns the fleet of a seed with an outage in any zone, at any time of the roll; for the first seed, its own.
func anyOutage(t *testing.T, seed uint64) scenario {
	t.Helper()
	s, err := newScenario(seed)
	if err != nil {
		t.Fatal(err)
	}
	if seed > 1 {
		random := rand.New(rand.NewPCG(seed, 1))
		s.outage.zone = zoneSizes[random.IntN(len(zoneSizes))].zone
		s.outage.from = s.start.Add(time.Duration(random.IntN(54*60)) * time.Minute)
		s.outage.to = s.outage.from.Add(time.Duration(20+random.IntN(100)) * time.Minute)
	}
	return s
}

// What the rules promise is read off what became of the nodes, and not off what the decisions say.
func TestWithTurnsOneZoneIsReplacedAfterTheOther(t *testing.T) {
	for seed := uint64(1); seed <= 30; seed++ {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			h, err := anyOutage(t, seed).roll(true)
			if err != nil {
				t.Fatal(err)
			}
			checkLimits(t, h)
			checkTurns(t, h)
		})
	}
}

func TestWithoutTurnsAllZonesAreInFlightAtOnce(t *testing.T) {
	for seed := uint64(1); seed <= 8; seed++ {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			h, err := anyOutage(t, seed).roll(false)
			if err != nil {
				t.Fatal(err)
			}
			checkLimits(t, h)
			if f := h.figures(); f.zonesAtOnce != 3 || f.changes < 20 {
				t.Errorf("%d zones, %d changes: the comparison shows nothing", f.zonesAtOnce, f.changes)
			}
		})
	}
}

// checkLimits checks what holds with and without turns.
func checkLimits(t *testing.T, h *history) {
	if f := h.figures(); f.replaced != 119 || len(h.slots) != 120 {
		t.Errorf("%d of %d nodes are replaced: all should be but one", f.replaced, len(h.slots))
	}
	checkWaits(t, h)
	for _, s := range h.slots {
		checkSlot(t, h, s)
		if s.begun() {
			checkStart(t, h, s)
		}
	}
}

// checkWaits checks that where a roll is said to wait, nothing starts, and something could within the limits.
func checkWaits(t *testing.T, h *history) {
	for _, w := range h.waits() {
		inFlight := 0
		for _, s := range h.slots {
			if s.begun() && s.started.After(w.from) && s.started.Before(w.to) {
				t.Errorf("%s starts on %s, in a wait from %s to %s: %s", s.old, clock(s.started), clock(w.from), clock(w.to), w.says)
			}
			if s.inFlight(w.from) {
				inFlight++
			}
		}
		if inFlight >= 4 || !isOpen(w.from) || w.says.Message == "" {
			t.Errorf("a wait from %s, with %d in flight: %s", clock(w.from), inFlight, w.says)
		}
	}
}

// checkSlot checks what becomes of each node.
func checkSlot(t *testing.T, h *history, s slot) {
	switch {
	case s.doNotDisrupt && s.begun():
		t.Errorf("%s is started, and is not to be disrupted", s.old)
	case !s.doNotDisrupt && !s.begun():
		t.Errorf("%s is never started", s.old)
	case s.begun() && (s.ready.Before(s.started.Add(s.boot)) || !s.gone.After(s.ready) || s.gone.After(h.end())):
		t.Errorf("%s: started %s, Ready %s, gone %s", s.old, clock(s.started), clock(s.ready), clock(s.gone))
	case s.stuck && s.gone.Sub(s.ready) != 2*time.Hour:
		t.Errorf("the stuck drain of %s ends after %s", s.old, s.gone.Sub(s.ready))
	}
}

// checkStart checks the moment at which a node starts.
func checkStart(t *testing.T, h *history, s slot) {
	at := s.started
	if !isOpen(at) {
		t.Errorf("%s starts on %s, outside the window", s.old, clock(at))
	}
	if !at.Before(h.outage.from) && at.Before(h.outage.to) {
		t.Errorf("%s starts on %s, while a zone is down: more than 5%% of the nodes are not Ready", s.old, clock(at))
	}
	inFlight := 0
	for _, other := range h.slots {
		if !other.begun() {
			continue
		}
		if !at.Before(other.started) && at.Before(other.gone) {
			inFlight++
		}
		if other.workload == s.workload && !at.Before(other.ready) && at.Before(other.gone.Add(other.recovery)) {
			t.Errorf("%s starts on %s, and %s is not over the drain of %s", s.old, clock(at), s.workload, other.old)
		}
	}
	if inFlight > 4 {
		t.Errorf("%s is the %dth node in flight on %s", s.old, inFlight, clock(at))
	}
}

// isOpen reads "weeknights from 22:00 to 06:00" off the clock.
func isOpen(t time.Time) bool {
	evening := t.Hour() >= 22 && t.Weekday() >= time.Monday && t.Weekday() <= time.Friday
	morning := t.Hour() < 6 && t.Weekday() >= time.Tuesday && t.Weekday() <= time.Saturday
	return evening || morning
}

// checkTurns checks that nodes of no two zones are ever in flight at once, and that no zone is left half done.
func checkTurns(t *testing.T, h *history) {
	started := h.started()
	changes := 0
	for i, s := range started[1:] {
		if before := started[i]; before.zone != s.zone {
			changes++
			checkChange(t, h, before.zone, s)
		}
		for _, other := range started {
			if other.zone != s.zone && !s.started.Before(other.started) && s.started.Before(other.gone) {
				t.Errorf("%s of %s starts on %s, while %s of %s is in flight", s.old, s.zone, clock(s.started), other.old, other.zone)
			}
		}
	}
	if changes != 2 {
		t.Errorf("%d changes between three zones", changes)
	}
}

// checkChange checks that the zone before is finished where the first node of the next one starts: all that can be are
// replaced, and its new nodes have been Ready for 15 minutes.
func checkChange(t *testing.T, h *history, before string, first slot) {
	for _, s := range h.slots {
		if s.zone != before || s.doNotDisrupt {
			continue
		}
		settled := s.gone
		if h.outage.zone == before && h.outage.from.Before(first.started) && h.outage.to.After(settled) {
			settled = h.outage.to
		}
		if first.started.Before(settled.Add(15 * time.Minute)) {
			t.Errorf("%s of %s starts on %s, and %s of %s has settled only on %s", first.old, first.zone, clock(first.started), s.old, s.zone, clock(settled))
		}
	}
}

// A zone that fails between its last drain and the next zone's turn keeps the roll, even if no budget of the pool counts
// the nodes that are not Ready.
func TestNoTurnPassesWhileItsZoneIsDown(t *testing.T) {
	s := anyOutage(t, 1)
	budgets, err := budget.Compile([]budget.Budget{turns(limit)})
	if err != nil {
		t.Fatal(err)
	}
	pool := disruptkit.Pool{Name: poolName, Budgets: budgets, Topology: topology.Options{Soak: soak}}
	first := func(outage outage) zoneTurn {
		s.outage = outage
		h, err := s.rollWith(pool, true)
		if err != nil {
			t.Fatal(err)
		}
		turns := h.zoneTurns()
		if len(turns) != 3 || turns[1].from.Sub(turns[0].to) < soak {
			t.Fatalf("%d turns, the second begins on %s", len(turns), clock(turns[1].from))
		}
		turns[0].to = turns[1].from
		return turns[0]
	}
	undisturbed := first(outage{})
	failure := undisturbed.to.Add(-soak / 2)
	down := outage{zone: zoneSizes[undisturbed.zone].zone, from: failure, to: failure.Add(time.Hour)}
	if got := first(down).to; !got.Equal(down.to.Add(soak)) {
		t.Errorf("%s is down until %s, and the next turn begins on %s", down.zone, clock(down.to), clock(got))
	}
}

// In a simulation everything happens on the minute, so that its figures can be counted minute by minute.
func TestFiguresAreThoseOfEachMinute(t *testing.T) {
	for _, sequential := range []bool{true, false} {
		h, err := anyOutage(t, 2).roll(sequential)
		if err != nil {
			t.Fatal(err)
		}
		var most, shared, open, took int
		for at := h.started()[0].started; at.Before(h.end()); at = at.Add(time.Minute) {
			zones := map[string]bool{}
			for _, s := range h.slots {
				if s.inFlight(at) {
					zones[s.zone] = true
				}
			}
			most = max(most, len(zones))
			took++
			if len(zones) > 1 {
				shared++
			}
			if isOpen(at) {
				open++
			}
		}
		minutes := func(n int) time.Duration { return time.Duration(n) * time.Minute }
		f := h.figures()
		if f.zonesAtOnce != most || f.shared != minutes(shared) || f.open != minutes(open) || f.took != minutes(took) || f.replaced != 119 {
			t.Errorf("sequential %t: %+v, but minute by minute: %d zones, shared %dm, open %dm, took %dm", sequential, f, most, shared, open, took)
		}
	}
}

func TestWhatHoldsBackOnlyLaterIsNotWhatANodeWaitsForNow(t *testing.T) {
	start := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	turn := candidate.Blocker{Gate: candidate.GateTopology, Code: candidate.CodeWaitsForDomain, Message: "b waits for a"}
	freeze := candidate.Blocker{Gate: candidate.GateBudget, Code: candidate.CodeAllowsNone, Message: "none may go after that", Later: true}
	pdb := candidate.Blocker{Gate: candidate.GatePod, Code: candidate.CodeExhausted, Message: "a PDB is used up after that", Later: true}
	c := &cluster{slots: []slot{{machine: machine{old: "n1", zone: zoneSizes[0].zone}}}}
	h := &history{scenario: scenario{start: start}, sequential: true, stays: map[string]string{}}
	h.record(disruptkit.Decision{
		Now: start, Pools: []disruptkit.PoolDecision{{}},
		Blocked: []candidate.Candidate{{Node: "n1", Blockers: []candidate.Blocker{turn, freeze, pdb}}},
	}, c)
	m := h.moments[0]
	if m.says.Message != turn.Message {
		t.Errorf("it waits for %q, not for %q", m.says.Message, turn.Message)
	}
	if z := m.zones[0]; z.toGo != 1 || z.blocked != 0 {
		t.Errorf("%d to go and %d blocked, not one to go", z.toGo, z.blocked)
	}
}
