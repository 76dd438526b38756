package disruptkit_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/generate"
	"github.com/disruptkit/disruptkit/probe"
)

// naiveSignals returns the codes of what verdicts say against a node, each read on its own.
func naiveSignals(in disruptkit.Input, p disruptkit.Pool, reason candidate.Reason) (codes []string) {
	for _, v := range append(slices.Clone(in.Verdicts), p.Verdicts...) {
		denies := false
		for _, d := range v.Denied {
			named := d.Reason == "" || d.Reason == reason || strings.HasPrefix(string(reason), string(d.Reason)+"/")
			here := len(d.Pools) == 0
			for _, s := range d.Pools {
				here = here || string(s) == p.Name
				for key, value := range p.Labels {
					here = here || string(s) == value || string(s) == key+"="+value
				}
			}
			over := !d.Until.IsZero() && in.Now.Compare(d.Until) >= 0
			denies = denies || named && here && !over
		}
		code := ""
		switch {
		case !v.Allowed && v.Code == "":
			code = "not-observed"
		case !v.Allowed:
			code = v.Code
		case !v.From.IsZero() && in.Now.Before(v.From):
			code = "from-the-future"
		case !v.StaleAt.IsZero() && in.Now.Compare(v.StaleAt) >= 0:
			code = "stale"
		case denies:
			code = "denied"
		default:
			continue
		}
		codes = append(codes, "probe/"+code)
	}
	return codes
}

// renewed returns the input as it is where all probes go on to be answered as they were.
func renewed(in disruptkit.Input) disruptkit.Input {
	fresh := func(verdicts []probe.Verdict) (out []probe.Verdict) {
		for _, v := range verdicts {
			if v.StaleAt.After(in.Now) {
				v.StaleAt = time.Time{}
			}
			v.From = time.Time{}
			out = append(out, v)
		}
		return out
	}
	in.Pools, in.Verdicts = slices.Clone(in.Pools), fresh(in.Verdicts)
	for i := range in.Pools {
		in.Pools[i].Verdicts = fresh(in.Pools[i].Verdicts)
	}
	return in
}

func TestOneMoreVerdictNeverLetsMoreNodesGo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := generate.Unzoned().Filter(func(in disruptkit.Input) bool { return len(in.Pools) > 0 }).Draw(t, "input")
		in.Rules = candidate.Rules{} // a node that stays leaves its disruption to another
		reason := generate.Reason().Draw(t, "reason")
		for i := range in.Nodes { // the same of its place
			for j := range in.Nodes[i].Conditions {
				in.Nodes[i].Conditions[j].Reason = reason
			}
		}
		more := in
		one := generate.Verdict(in.Now).Draw(t, "one more")
		if rapid.Bool().Draw(t, "of the cluster") {
			more.Verdicts = append(slices.Clone(in.Verdicts), one)
		} else {
			more.Pools = slices.Clone(in.Pools)
			more.Pools[0].Verdicts = append(slices.Clone(in.Pools[0].Verdicts), one)
		}
		a, b := disruptkit.Decide(in, reason), disruptkit.Decide(more, reason)
		for _, c := range b.Allowed {
			if !slices.ContainsFunc(a.Allowed, func(o candidate.Candidate) bool { return key(o) == key(c) }) {
				t.Fatalf("%s may go only with one more verdict, %s", c.Node, one)
			}
		}
	})
}

func TestTheOrderOfVerdictsNeverMatters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := generate.Input().Draw(t, "input")
		in.Verdicts = rapid.SliceOfN(generate.Verdict(in.Now), 0, 4).Draw(t, "verdicts")
		shuffled := in
		shuffled.Verdicts = rapid.Permutation(in.Verdicts).Draw(t, "shuffled")
		if diff := cmp.Diff(disruptkit.Decide(in, ""), disruptkit.Decide(shuffled, "")); diff != "" {
			t.Fatal(diff)
		}
	})
}
