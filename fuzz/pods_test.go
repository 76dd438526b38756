package fuzz_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/kube"
	"github.com/disruptkit/disruptkit/schedule"
)

// FuzzAnnotations reads any text as each annotation of a pod. What is valid is open as schedule.Parse says of its parts;
// whatever is not is warned of, with what to write, and never makes the window wider than the parts that allow.
func FuzzAnnotations(f *testing.F) {
	for _, s := range []struct {
		schedule, duration, blockSchedule, blockDuration, zone, doNotDisrupt, further string
		seconds                                                                       int64
	}{
		{"0 2 * * 6", "4h", "", "", "", "", "", 1_795_176_000},
		{"", "", "0 9 * * 1-5", "8h", "Europe/Berlin", "true", "", 1_795_176_000},
		{"0 2 * * 6;0 14 * * 0", "4h;30m", "0 3 * * *", "", "America/New_York", "4h", "", 1_772_953_200},
		{"0 2 * * sat-sun;0 3 * * *", "1d", "@every 1h", "168h1s", "Mars", "True", "window", 0},
		{";", ";;", " ; ", "0s;-5m", "Local", "0s", "block-for", -1 << 62},
		{"0 0 29 2 *", "168h", "\xff", "\x00", "../etc/localtime", "\xff", "schedule", 1 << 62},
	} {
		f.Add(s.schedule, s.duration, s.blockSchedule, s.blockDuration, s.zone, s.doNotDisrupt, s.further, s.seconds)
	}
	f.Fuzz(func(t *testing.T, cron, duration, blockCron, blockDuration, zone, doNotDisrupt, further string, seconds int64) {
		annotations := map[string]string{}
		for key, value := range map[string]string{
			kube.DisruptionScheduleAnnotation: cron, kube.DisruptionScheduleDurationAnnotation: duration,
			kube.DisruptionBlockScheduleAnnotation: blockCron, kube.DisruptionBlockDurationAnnotation: blockDuration,
			kube.DisruptionScheduleTimeZoneAnnotation: zone, kube.DoNotDisruptAnnotation: doNotDisrupt,
		} {
			if value != "" {
				annotations[key] = value
			}
		}
		known := len(annotations)
		if further != "" { // may be the name of one of them
			annotations["karpenter.sh/disruption-"+further] = "x"
		}
		before := maps.Clone(annotations)

		var parser kube.Parser
		terms, warnings := parser.Terms("shop", "web", annotations)
		again, warningsAgain := parser.Terms("shop", "web", annotations)
		if terms != again {
			t.Errorf("%+v is %+v, read again", terms, again)
		}
		if diff := cmp.Diff(warnings, warningsAgain) + cmp.Diff(before, annotations); diff != "" {
			t.Error(diff)
		}
		if len(annotations) > known && !terms.Invalid {
			t.Errorf("%q is taken", further)
		}
		warned(t, annotations, terms, warnings)

		now := time.Unix(seconds, 0)
		allowed, allows := partsOpen(annotations[kube.DisruptionScheduleAnnotation], annotations[kube.DisruptionScheduleDurationAnnotation], annotations[kube.DisruptionScheduleTimeZoneAnnotation], now)
		blocked, _ := partsOpen(annotations[kube.DisruptionBlockScheduleAnnotation], annotations[kube.DisruptionBlockDurationAnnotation], annotations[kube.DisruptionScheduleTimeZoneAnnotation], now)
		if open, want := schedule.InWindow(terms.Window, now), (allowed || !allows) && !blocked; open != want {
			t.Errorf("%v at %v: %t, but allowed %t of %t, blocked %t", terms.Window, now, open, allowed, allows, blocked)
		}
		judgedAlone(t, terms, now)
	})
}

// warned checks that terms are invalid exactly where a warning says what to write.
func warned(t *testing.T, annotations map[string]string, terms candidate.Terms, warnings []candidate.Warning) {
	t.Helper()
	if want := len(warnings) > 0 && (annotations[kube.DoNotDisruptAnnotation] != "false" || len(warnings) > 1); terms.Invalid != want {
		t.Errorf("invalid is %t, warned of %v", terms.Invalid, warnings)
	}
	for _, w := range warnings {
		if w.Code != candidate.CodeInvalidAnnotation || w.Object != "Pod/shop/web" || !strings.Contains(annotations[w.Field], w.Value) {
			t.Errorf("%q: code %q, object %q, value %q", w.Field, w.Code, w.Object, w.Value)
		}
		if says := strings.Contains(w.Message, "write ") || strings.Contains(w.Message, "leave "); !says || len(w.Message) > 5000 {
			t.Errorf("the warning does not say in a few words what to write: %s", w.Message)
		}
	}
}

// partsOpen reports whether any of the parts of a schedule that are valid is open, and whether there are any.
func partsOpen(schedules, durations, zone string, now time.Time) (open, valid bool) {
	if schedules == "" {
		return false, false
	}
	crons, lengths := parts(schedules), parts(durations)
	if len(lengths) != 1 && len(lengths) != len(crons) {
		lengths = []string{""}
	}
	for i, cron := range crons[:min(50, len(crons))] {
		d, err := time.ParseDuration(lengths[min(i, len(lengths)-1)])
		if err != nil || d < time.Minute || d > 168*time.Hour {
			d = time.Hour
		}
		if w, err := schedule.Parse(cron, d, zone); err == nil {
			open, valid = open || schedule.InWindow(w, now), true
		}
	}
	return open, valid
}

func parts(text string) []string {
	list := strings.Split(text, ";")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	if n := len(list); n > 1 && list[n-1] == "" {
		list = list[:n-1]
	}
	return list
}

// judgedAlone checks what the pod gate says of a node with one pod that started an hour ago.
func judgedAlone(t *testing.T, terms candidate.Terms, now time.Time) {
	t.Helper()
	p := candidate.Pod{Name: "web", Terms: terms, Started: now.Add(-time.Hour)}
	n := candidate.Node{Pods: []candidate.Pod{p}}
	for _, closed := range []bool{false, true} {
		var v candidate.PodVerdict
		candidate.OpenPods(candidate.Rules{FailClosed: closed}, now).Judge(&v, &n, &candidate.Condition{})
		var got, want []string
		for _, b := range v.Blockers {
			got = append(got, string(b.Code))
			if !b.Until.IsZero() && !b.Until.After(now) && now.Year() < 1_000_000 {
				t.Errorf("at %v it lifts in the past: %v", now, b)
			}
		}
		if terms.Protect > time.Hour {
			want = append(want, string(candidate.CodeDoNotDisrupt))
		}
		if terms.Invalid && closed {
			want = append(want, string(candidate.CodeInvalidAnnotation))
		}
		if !schedule.InWindow(terms.Window, now) {
			want = append(want, string(candidate.CodeOutsideSchedule))
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}

// FuzzSelector makes a selector of a text, a term a line: "key=value" is one of matchLabels, "key operator value value …" one
// of matchExpressions. Its PDB and its PodDisruptionSchedule block the pods that it matches, or all that it may where
// it is broken; how many other selectors there are, and of which labels, does not matter.
func FuzzSelector(f *testing.F) {
	f.Add("app=web", "app=web\ntier=front", byte(0))
	f.Add("app In web db\ntier NotIn front\napp Exists\nzone DoesNotExist", "app=db\nteam=", byte(7))
	f.Add("app In web\napp In db", "app=web", byte(255))
	f.Add("app In\n NotIn a\napp is web\n-=\xff", "app=", byte(3))
	f.Add("", "", byte(1))
	f.Add("app.kubernetes.io/name In  a a", "app.kubernetes.io/name=", byte(9))
	f.Fuzz(func(t *testing.T, terms, podLabels string, others byte) {
		selector, labels := readSelector(terms), map[string]string{}
		for line := range strings.SplitSeq(podLabels, "\n") {
			if key, value, ok := strings.Cut(line, "="); ok {
				labels[key] = value
			}
		}
		pdbs := []candidate.PDB{{Namespace: "shop", Name: "it", Selector: &selector}, {Namespace: "ml", Name: "it", Selector: &selector}}
		for i := range int(others & 15) { // of the same labels, and of others
			s := candidate.Selector{MatchLabels: map[string]string{"other": strings.Repeat("x", i+1)}}
			if keys := slices.Sorted(maps.Keys(labels)); i < len(keys) && others&16 != 0 {
				s = candidate.Selector{MatchExpressions: []candidate.Requirement{{Key: keys[i], Operator: "In", Values: []string{"none", "such"}}}}
			}
			pdbs = append(pdbs, candidate.PDB{Namespace: "shop", Name: strings.Repeat("o", i+1), Selector: &s, DisruptionsAllowed: 1})
		}
		rules, err := candidate.CompileRules(pdbs, []candidate.PodSchedule{{Name: "it", Selector: &selector, BlockSchedule: "* * * * *"}})
		broken := brokenSelector(selector)
		if broken && err == nil {
			t.Fatalf("%q is taken", terms)
		}
		for _, w := range rules.Warnings() {
			if w.Field == "" || w.Object == "" || !strings.Contains(w.Message, "write ") || len(w.Message) > 2000 {
				t.Errorf("%s helps nobody", w.Error())
			}
		}
		node := candidate.Node{Pods: []candidate.Pod{{Namespace: "shop", Name: "web", Labels: labels}}}
		gate := candidate.OpenPods(rules, time.Unix(1_795_176_000, 0))
		var got []string
		for _, b := range gate.Blockers(&node, candidate.Condition{}) {
			if strings.Contains(b.Message, " PDB shop/it,") || strings.Contains(b.Message, " PodDisruptionSchedule it") {
				got = append(got, string(b.Code))
			}
		}
		var want []string
		switch {
		case broken:
			want = []string{string(candidate.CodeInvalidSchedule), string(candidate.CodeInvalidPDB)}
		case matched(selector, labels):
			want = []string{string(candidate.CodeAllowsNone), string(candidate.CodeOutsideSchedule)}
		}
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%+v and %q: %s", selector, labels, diff)
		}
	})
}

func readSelector(text string) candidate.Selector {
	s := candidate.Selector{MatchLabels: map[string]string{}}
	for line := range strings.SplitSeq(text, "\n") {
		words := strings.Split(line, " ")
		if key, value, ok := strings.Cut(line, "="); ok && len(words) == 1 {
			s.MatchLabels[key] = value
		} else if line != "" {
			r := candidate.Requirement{Key: words[0]}
			if len(words) > 1 {
				r.Operator, r.Values = words[1], words[2:]
			}
			s.MatchExpressions = append(s.MatchExpressions, r)
		}
	}
	return s
}

// brokenSelector reports whether Kubernetes would refuse a selector, by a plain reading of its rules.
func brokenSelector(s candidate.Selector) bool {
	for key, value := range s.MatchLabels {
		if !labelKey(key) || !labelValue(value) {
			return true
		}
	}
	for _, r := range s.MatchExpressions {
		needsValues := r.Operator == "In" || r.Operator == "NotIn"
		if !labelKey(r.Key) || !slices.Contains([]string{"In", "NotIn", "Exists", "DoesNotExist"}, r.Operator) || needsValues != (len(r.Values) > 0) ||
			slices.ContainsFunc(r.Values, func(value string) bool { return !labelValue(value) }) {
			return true
		}
	}
	return false
}

const (
	lower    = "abcdefghijklmnopqrstuvwxyz0123456789"
	anyCase  = lower + "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	between  = "-_."
	hostOnly = "-"
)

// made reports whether a text begins and ends with some bytes, and has these or others between them.
func made(text, ends, inside string) bool {
	for i := range len(text) {
		c := text[i : i+1]
		if !strings.Contains(ends, c) && (i == 0 || i == len(text)-1 || !strings.Contains(inside, c)) {
			return false
		}
	}
	return text != ""
}

func labelValue(text string) bool {
	return text == "" || len(text) <= 63 && made(text, anyCase, between)
}

func labelKey(text string) bool {
	name := text
	if at := strings.Index(text, "/"); at >= 0 {
		for host := range strings.SplitSeq(text[:at], ".") {
			if !made(host, lower, hostOnly) {
				return false
			}
		}
		if at > 253 {
			return false
		}
		name = text[at+1:]
	}
	return name != "" && labelValue(name)
}

// matched tries one term after the other.
func matched(s candidate.Selector, labels map[string]string) bool {
	ok := true
	for key, value := range s.MatchLabels {
		got, there := labels[key]
		ok = ok && there && got == value
	}
	for _, r := range s.MatchExpressions {
		value, there := labels[r.Key]
		in := there && slices.Contains(r.Values, value)
		ok = ok && map[string]bool{"In": in, "NotIn": !in, "Exists": there, "DoesNotExist": !there}[r.Operator]
	}
	return ok
}
