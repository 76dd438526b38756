package httpget_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

// An answer is one of a history, and what a naive reader knows of it.
type answer struct {
	response httpget.Response
	paused   bool               // it was asked for after the one before had gone stale
	fault    candidate.Code     // the code of a bad one
	denies   []candidate.Reason // of a good one
}

func (a answer) good() bool { return a.fault == "" }

// meant is what the actions of generate.Action mean.
var meant = map[string][]candidate.Reason{
	"drift": {"Drifted"}, "Drifted": {"Drifted"}, "DRIFT:AMIDrift": {"Drifted/AMIDrift"}, "drifted/SubnetDrift": {"Drifted/SubnetDrift"},
	"emptiness": {"Empty"}, "Empty": {"Empty"}, "underutilized": {"Underutilized"}, "Consolidation": {"Empty", "Underutilized"},
	"expiration": {"Expired"}, "expired": {"Expired"}, "Unhealthy": {"Unhealthy"}, "unhealthy/Ready": {"Unhealthy/Ready"},
}

func drawAnswers(t *rapid.T, maxAge time.Duration) []answer {
	var history []answer
	at := noon
	for i := range rapid.IntRange(0, 14).Draw(t, "answers") {
		var a answer
		if a.paused = i > 0 && rapid.IntRange(0, 7).Draw(t, "pause") == 0; a.paused {
			at = at.Add(maxAge)
		}
		at = at.Add(time.Second)
		a.response = ok(at)
		switch rapid.IntRange(0, 9).Draw(t, "kind") {
		case 0:
			a.response.Status, a.fault = 503, "unhealthy"
		case 1:
			a.response.Status, a.fault = 0, "no-answer"
		case 2:
			a.response.Body, a.fault = []byte("{}"), "invalid-answer"
		default:
			actions := rapid.SliceOfN(testkit.Arbitrary(generate.Action), 0, 2).Draw(t, "actions")
			for _, action := range actions {
				if meant[action] == nil {
					t.Fatalf("nobody knows what %q means", action)
				}
				a.denies = append(a.denies, meant[action]...)
			}
			text, err := json.Marshal(map[string]any{"deniedActions": actions})
			if err != nil {
				t.Fatal(err)
			}
			a.response.Body = text
		}
		history = append(history, a)
	}
	return history
}

// allOf reports whether the n answers up to the one at end, and it, are all so.
func allOf(history []answer, n, end int, so func(answer) bool) bool {
	return end+1 >= n && !slices.ContainsFunc(history[end+1-n:end+1], func(a answer) bool { return !so(a) })
}

// inARow reports whether the n answers up to the one at end, and it, are good, without a pause between them.
func inARow(history []answer, n, end int) bool {
	return allOf(history, n, end, answer.good) && (n == 1 || allOf(history, n-1, end, func(a answer) bool { return !a.paused }))
}

// healthy: there were enough good answers in a row at some time, and since then neither too many bad ones nor a pause.
func healthy(history []answer, success, failure int) bool {
	for i := range history {
		if !inARow(history, success, i) {
			continue
		}
		stopped := false
		for j := i + 1; j < len(history); j++ {
			stopped = stopped || history[j].paused || allOf(history, failure, j, func(a answer) bool { return !a.good() })
		}
		if !stopped {
			return true
		}
	}
	return false
}

// deniedNow returns what some answer denied and no later run of good answers lifted.
func deniedNow(history []answer, success int) []candidate.Reason {
	var denied []candidate.Reason
	for i, a := range history {
		for _, reason := range a.denies {
			lifted := false
			for j := i + success; j < len(history); j++ {
				lifted = lifted || allOf(history, success, j, func(a answer) bool { return a.good() && !slices.Contains(a.denies, reason) })
			}
			if !lifted && !slices.Contains(denied, reason) {
				denied = append(denied, reason)
			}
		}
	}
	slices.Sort(denied)
	return denied
}

// faultNow returns what was wrong with the last bad answer, unless there were enough good ones in a row since then.
func faultNow(history []answer, success int) candidate.Code {
	for i := len(history) - 1; i >= 0; i-- {
		if inARow(history, success, i) {
			return ""
		}
		if !history[i].good() {
			return history[i].fault
		}
	}
	return ""
}

// streakNow counts the answers that are like the last one; good ones since the last pause.
func streakNow(history []answer) int {
	last, n := len(history)-1, 0
	if history[last].good() {
		for inARow(history, n+1, last) {
			n++
		}
		return n
	}
	for allOf(history, n+1, last, func(a answer) bool { return !a.good() }) {
		n++
	}
	return -n
}

func TestTheFoldIsANaiveReplayOfTheHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		success, failure := rapid.IntRange(0, 4).Draw(t, "success threshold"), rapid.IntRange(0, 4).Draw(t, "failure threshold")
		p := healthz(func(p *httpget.Spec) {
			p.Mode, p.SuccessThreshold, p.FailureThreshold = httpget.BodyMode, success, failure
		})
		success, failure = max(1, success), max(1, failure)
		history := drawAnswers(t, p.MaxAge())
		var o probe.Observation
		for i, a := range history {
			o = httpget.Observe(p, o, a.response)
			known := history[:i+1]
			var denied []candidate.Reason
			for _, d := range o.Denied {
				if d.Pools != nil || d.Cause != "" || !d.Until.IsZero() || d.Absent < 0 || d.Absent >= success {
					t.Fatalf("answer %d: %+v", i, d)
				}
				denied = append(denied, d.Reason)
			}
			if diff := cmp.Diff(deniedNow(known, success), denied); diff != "" {
				t.Fatalf("denied after answer %d: %s", i, diff)
			}
			if want := healthy(known, success, failure); o.Healthy != want {
				t.Fatalf("after answer %d it is healthy: %t", i, o.Healthy)
			}
			if want := streakNow(known); o.Streak != want {
				t.Fatalf("after answer %d the streak is %d, want %d", i, o.Streak, want)
			}
			if want := faultNow(known, success); o.Code != want || (o.Cause == "") != (want == "") {
				t.Fatalf("after answer %d the code is %q (%s), want %q", i, o.Code, o.Cause, want)
			}
			if !o.At.Equal(a.response.At) {
				t.Fatalf("after answer %d it is of %v", i, o.At)
			}
		}
	})
}
