package probe_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/probe"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// health is a probe of which one good answer is enough.
var health = probe.Probe{Name: "health", MaxAge: 21 * time.Second, Needed: 1}

// well is an observation of a good answer.
func well(at time.Time) probe.Observation {
	return probe.Observation{At: at, Healthy: true, Streak: 1}
}

func TestAnObservationGoesStale(t *testing.T) {
	healthy := probe.Observation{At: noon, Healthy: true, Streak: 1}
	sick := probe.Observation{At: noon, Streak: -1, Code: "unhealthy", Cause: "it answered 503"}
	short, thrice := probe.Probe{Name: "health", MaxAge: time.Minute, Needed: 1}, probe.Probe{Name: "health", MaxAge: time.Minute, Needed: 3}
	berlin := time.FixedZone("", 3600)
	for _, c := range []struct {
		name        string
		probe       probe.Probe
		observation probe.Observation
		now         time.Time
		code        string // "" is allowed
		says        string
	}{
		{"when it is made", short, healthy, noon, "", ""},
		{"a nanosecond before its maximum age", short, healthy, noon.Add(time.Minute - 1), "", ""},
		{"exactly at its maximum age", short, healthy, noon.Add(time.Minute), "stale", "1m old, and counts only for 1m"},
		{"after it", short, healthy, noon.Add(time.Hour), "stale", "1h old, and counts only for 1m"},
		{"of a probe with a fault", probe.Probe{MaxAge: time.Minute, Fault: "port: it is missing"}, healthy, noon, "invalid-probe", "the probe is invalid: port: it is missing"},
		{"of the zero Probe, for which no answer counts", probe.Probe{}, healthy, noon, "stale", "0s old, and counts only for 0s"},
		{"in another zone", short, healthy, noon.Add(time.Minute - 1).In(berlin), "", ""},
		{"from the future by a nanosecond", short, healthy, noon.Add(-1), "from-the-future", "by 1ns"},
		{"from the future by far", short, healthy, noon.Add(-time.Hour), "from-the-future", "by 1h"},
		{"not before there is one", short, probe.Observation{}, noon, "not-observed", "nothing has been observed yet"},
		{"not before there is one, at the beginning of time", short, probe.Observation{}, time.Time{}, "not-observed", "nothing has been observed yet"},
		{"healthy, but never observed", short, probe.Observation{Healthy: true, Streak: 1}, noon, "not-observed", "nothing has been observed yet"},
		{"not healthy, before its maximum age", short, sick, noon.Add(time.Minute - 1), "unhealthy", "it answered 503"},
		{"not healthy, and stale", short, sick, noon.Add(time.Minute), "stale", "1m old"},
		{"not healthy, and from the future", short, sick, noon.Add(-1), "from-the-future", "by 1ns"},
		{"not healthy without saying why", short, probe.Observation{At: noon}, noon, "not-observed", ""},
		{"not enough good answers", thrice, probe.Observation{At: noon, Streak: 2}, noon, "not-observed",
			"2 of the 3 good answers in a row"},
		{"not enough good answers after bad ones", thrice,
			probe.Observation{At: noon, Streak: 1, Code: "no-answer", Cause: "no answer"}, noon, "no-answer", "before them, no answer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := probe.ProbeVerdict(c.probe, c.observation, c.now)
			if v.Allowed != (c.code == "") || string(v.Code) != c.code || !strings.Contains(v.Cause, c.says) {
				t.Errorf("%+v", v)
			}
			if v.Probe != c.probe.Name {
				t.Errorf("it is that of %s", v.Probe)
			}
			wantStale := time.Time{}
			if !c.observation.At.IsZero() && c.probe.Fault == "" {
				wantStale = c.observation.At.Add(c.probe.MaxAge)
			}
			if !v.StaleAt.Equal(wantStale) {
				t.Errorf("it goes stale at %v, want %v", v.StaleAt, wantStale)
			}
			b, blocked := v.Blocker(candidate.Drifted, "gpu", nil, c.now)
			if blocked == v.Allowed || string(b.Code) != c.code {
				t.Errorf("blocked %t by %s", blocked, b)
			}
		})
	}
}

// A caller's clock may have gone back since, or nobody has set it.
func TestAVerdictIsNotKeptForATimeBeforeItsAnswer(t *testing.T) {
	v := probe.ProbeVerdict(health, well(noon), noon)
	for _, now := range []time.Time{noon.Add(-1), noon.Add(-time.Hour), {}} {
		if b, blocked := v.Blocker(candidate.Drifted, "gpu", nil, now); !blocked || b.Code != "from-the-future" || !v.NextChange(now).Equal(noon) {
			t.Errorf("at %v: %t, %s, next change at %v", now, blocked, b, v.NextChange(now))
		}
	}
	if b, blocked := v.Blocker(candidate.Drifted, "gpu", nil, noon); blocked {
		t.Error(b)
	}
}

// Whoever read the clock just before an answer came in must not sleep for good.
func TestAnAnswerFromTheFutureHasANextChange(t *testing.T) {
	o := well(noon.Add(time.Millisecond))
	v := probe.ProbeVerdict(health, o, noon)
	if at := v.NextChange(noon); v.Allowed || !at.Equal(o.At) || !probe.ProbeVerdict(health, o, at).Allowed {
		t.Errorf("the next change of %s is at %v", v, at)
	}
}

func TestAVerdictKeepsWhatIsDenied(t *testing.T) {
	denials := []probe.Denial{{Reason: "Drifted"}, {Reason: "Empty", Pools: []probe.PoolSelector{"gpu"}}}
	for _, healthy := range []bool{true, false} {
		v := probe.ProbeVerdict(health, probe.Observation{At: noon, Healthy: healthy, Streak: 1, Denied: denials}, noon)
		if diff := cmp.Diff(denials, v.Denied); diff != "" || v.Allowed != healthy || (v.Code == "denied") != healthy {
			t.Errorf("healthy %t: %+v %s", healthy, v, diff)
		}
	}
	if v := probe.ProbeVerdict(health, probe.Observation{At: noon, Healthy: true, Streak: 1}, noon); v.Code != "" {
		t.Errorf("where nothing is denied it has the code %s", v.Code)
	}
}

func TestBlockersOfAVerdict(t *testing.T) {
	in := func(d time.Duration) time.Time { return noon.Add(d) }
	incident := probe.Verdict{Probe: "incident", Allowed: true, Code: candidate.CodeDenied, StaleAt: in(time.Minute), Denied: []probe.Denial{
		{Reason: "Drifted"}, {Reason: "Empty", Pools: []probe.PoolSelector{"gpu", "team=search"}}, {Reason: "Expired/Old", Pools: []probe.PoolSelector{"us-west-2a"}}}}
	ending := probe.Verdict{Probe: "ending", Allowed: true, Code: "scale-down", Denied: []probe.Denial{
		{Reason: "Drifted", Until: in(time.Hour)}, {Reason: "Drifted/AMIDrift", Until: in(2 * time.Hour), Cause: "a bad image"}, {Reason: "Empty", Until: in(-1)},
		{Reason: "Empty", Until: noon}, {Reason: "Expired", Until: in(time.Hour)}, {Reason: "Expired"}, {Reason: "Underutilized", Until: in(1)}}}
	search := map[string]string{"team": "search", "zone": "us-west-2a"}
	for _, c := range []struct {
		name    string
		verdict probe.Verdict
		reason  candidate.Reason
		pool    string
		labels  map[string]string
		now     time.Time
		want    string // "" is allowed
	}{
		{"the zero Verdict allows nothing", probe.Verdict{}, "Drifted", "gpu", nil, noon, "probe/not-observed: a probe: nothing has been observed yet"},
		{"one that is not allowed, without more", probe.Verdict{Probe: "mine"}, "Drifted", "gpu", nil, noon, "probe/not-observed: mine: nothing has been observed yet"},
		{"one that is not allowed", probe.Verdict{Probe: "mine", Code: "no-answer", Cause: "no answer"}, "Drifted", "gpu", nil, noon, "probe/no-answer: mine: no answer"},
		{"one that is not allowed allows nothing for an unknown reason", probe.Verdict{Probe: "mine", Code: "no-answer", Cause: "no answer"}, "", "gpu", nil, noon, "probe/no-answer: mine: no answer"},
		{"one that is not allowed does not list what it denies", probe.Verdict{Probe: "mine", Cause: "no answer", Denied: []probe.Denial{{Until: in(1)}}}, "Drifted", "gpu", nil, noon, "probe/not-observed: mine: no answer"},
		{"one that is not allowed, and stale", probe.Verdict{Probe: "mine", Code: "no-answer", Cause: "no answer", StaleAt: noon}, "Drifted", "gpu", nil, noon, "probe/no-answer: mine: no answer"},
		{"one that allows all", probe.Verdict{Allowed: true}, "Drifted", "gpu", nil, noon, ""},
		{"one that allows all, for a reason that is unknown", probe.Verdict{Allowed: true}, "", "gpu", nil, noon, ""},

		{"a reason that is denied", incident, "Drifted", "web", nil, noon, "probe/denied: incident: it denies Drifted"},
		{"a child of a reason that is denied", incident, "Drifted/AMIDrift", "web", nil, noon, "probe/denied: incident: it denies Drifted"},
		{"a reason that is not denied", incident, "Underutilized", "web", nil, noon, ""},
		{"a reason that is denied to the pool", incident, "Empty", "gpu", nil, noon, "probe/denied: incident: it denies Empty in gpu"},
		{"a reason that is denied to a label of the pool", incident, "Empty", "web", search, noon, "probe/denied: incident: it denies Empty in team=search"},
		{"a reason that is denied to other pools", incident, "Empty", "web", nil, noon, ""},
		{"a child that is denied to the value of a label", incident, "Expired/Old", "web", search, noon, "probe/denied: incident: it denies Expired/Old in us-west-2a"},
		{"the method of a child that is denied", incident, "Expired", "web", search, noon, ""},
		{"a reason that is unknown is held by all", incident, "", "web", search, noon,
			"probe/denied: incident: it denies Drifted; Empty in team=search; Expired/Old in us-west-2a"},
		{"a reason that is unknown is held by all that concern the pool", incident, "", "web", nil, noon, "probe/denied: incident: it denies Drifted"},
		{"just before it is stale", incident, "Underutilized", "web", nil, in(time.Minute - 1), ""},
		{"stale", incident, "Underutilized", "web", nil, in(time.Minute), "probe/stale: incident: the last answer has been too old since 2026-11-20T12:01:00Z"},
		{"stale, and denied", incident, "Drifted", "web", nil, in(time.Hour), "probe/stale: incident: the last answer has been too old since 2026-11-20T12:01:00Z"},

		{"until its end", ending, "Drifted", "web", nil, noon, "probe/scale-down: ending: it denies Drifted (until 2026-11-20T13:00:00Z)"},
		{"just before its end", ending, "Drifted", "web", nil, in(time.Hour - 1), "probe/scale-down: ending: it denies Drifted (until 2026-11-20T13:00:00Z)"},
		{"at its end", ending, "Drifted", "web", nil, in(time.Hour), ""},
		{"until the last end of several", ending, "Drifted/AMIDrift", "web", nil, noon, "probe/scale-down: ending: it denies Drifted; Drifted/AMIDrift (a bad image) (until 2026-11-20T14:00:00Z)"},
		{"when the first of several has ended", ending, "Drifted/AMIDrift", "web", nil, in(time.Hour), "probe/scale-down: ending: it denies Drifted/AMIDrift (a bad image) (until 2026-11-20T14:00:00Z)"},
		{"what has ended does not hold", ending, "Empty", "web", nil, noon, ""},
		{"without an end, where one of several has none", ending, "Expired", "web", nil, noon, "probe/scale-down: ending: it denies Expired; Expired"},
		{"a denial without an end, first", probe.Verdict{Allowed: true, Denied: []probe.Denial{{Cause: "a"}, {Until: in(time.Hour), Cause: "b"}}}, "Empty", "web", nil, noon,
			"probe/denied: a probe: it denies everything (a); everything (b)"},
		{"a denial without an end, between two", probe.Verdict{Allowed: true, Denied: []probe.Denial{{Until: in(time.Hour)}, {}, {Until: in(time.Hour)}}}, "Empty", "web", nil, noon,
			"probe/denied: a probe: it denies everything; everything; everything"},
		{"the later end first", probe.Verdict{Allowed: true, Denied: []probe.Denial{{Until: in(time.Hour)}, {Until: in(time.Minute)}}}, "Empty", "web", nil, noon,
			"probe/denied: a probe: it denies everything; everything (until 2026-11-20T13:00:00Z)"},
		{"a few of many", probe.Verdict{Allowed: true, Denied: []probe.Denial{{Cause: "1"}, {Cause: "2"}, {Cause: "3"}, {Cause: "4"}, {Cause: "5"}, {Cause: "6"}, {Cause: "7"}}}, "Empty", "web", nil, noon,
			"probe/denied: a probe: it denies everything (1); everything (2); everything (3); everything (4); everything (5) and 2 more"},
		{"everything to one pool", probe.Verdict{Allowed: true, Denied: []probe.Denial{{Pools: []probe.PoolSelector{"gpu"}}}}, "Empty", "gpu", nil, noon, "probe/denied: a probe: it denies everything in gpu"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, blocked := c.verdict.Blocker(c.reason, c.pool, c.labels, c.now)
			got := ""
			if blocked {
				got = b.String()
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if !blocked && b != (candidate.Blocker{}) {
				t.Errorf("it does not block with %+v", b)
			}
			if b.ForGood {
				t.Error("a signal is never for good")
			}
		})
	}
}

func TestAVerdictDescribesItself(t *testing.T) {
	for _, c := range []struct {
		want    string
		verdict probe.Verdict
	}{
		{"a probe: nothing has been observed yet", probe.Verdict{}},
		{"health: it answered 503", probe.Verdict{Probe: "health", Cause: "it answered 503", Denied: []probe.Denial{{}}, StaleAt: noon}},
		{"health: all nodes are allowed", probe.Verdict{Probe: "health", Allowed: true}},
		{"health: all nodes are allowed, until 2026-11-20T12:00:00Z", probe.Verdict{Probe: "health", Allowed: true, StaleAt: noon.In(time.FixedZone("", 3600))}},
		{"health: it denies Drifted in gpu; Empty (an incident)", probe.Verdict{Probe: "health", Allowed: true, StaleAt: noon,
			Denied: []probe.Denial{{Reason: "Drifted", Pools: []probe.PoolSelector{"gpu"}}, {Reason: "Empty", Cause: "an incident"}}}},
		{"health: it denies Drifted; Empty; Underutilized; Expired; Drifted/AMIDrift and 2 more", probe.Verdict{Probe: "health", Allowed: true,
			Denied: []probe.Denial{{Reason: "Drifted"}, {Reason: "Empty"}, {Reason: "Underutilized"}, {Reason: "Expired"}, {Reason: "Drifted/AMIDrift"}, {Reason: "Drifted"}, {}}}},
	} {
		if got := c.verdict.String(); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}
