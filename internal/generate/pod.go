package generate

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// Pods generates the pods of a node, of which few ask for anything.
func Pods(now time.Time) *rapid.Generator[[]candidate.Pod] {
	return rapid.Map(rapid.SliceOfN(pod(now), 0, 3), func(pods []candidate.Pod) []candidate.Pod {
		for i := range pods {
			pods[i].Name = fmt.Sprintf("%s-%d", pods[i].Labels["app"], i)
		}
		return pods
	})
}

func pod(now time.Time) *rapid.Generator[candidate.Pod] {
	return rapid.Custom(func(t *rapid.T) candidate.Pod {
		p := candidate.Pod{
			Namespace:   rapid.SampledFrom([]string{"shop", "shop", "ml"}).Draw(t, "namespace"),
			Labels:      map[string]string{"app": rapid.SampledFrom([]string{"web", "db", "job"}).Draw(t, "app")},
			Inactive:    seldom.Draw(t, "inactive"),
			Unevictable: seldom.Draw(t, "unevictable"),
			Unready:     seldom.Draw(t, "unready"),
		}
		if rapid.Bool().Draw(t, "two labels") {
			p.Labels["tier"] = rapid.SampledFrom([]string{"", "front"}).Draw(t, "tier")
		}
		if rapid.Bool().Draw(t, "started") {
			p.Started = now.Add(time.Duration(rapid.IntRange(-180, 10).Draw(t, "minutes")) * time.Minute)
		}
		p.Terms = Terms().Draw(t, "terms")
		return p
	})
}

// windows are some of those that pods have: they open and close often, in step and out of step with each other.
var windows = []schedule.Window{
	schedule.MustParse("0 2 * * *", 4*time.Hour, ""),
	schedule.MustParse("0 9 * * mon-fri", 8*time.Hour, "Europe/Berlin").Outside(),
	schedule.MustParse("30 * * * *", 40*time.Minute, ""),
	schedule.MustParse("0 * * * *", 20*time.Minute, "").Outside(),
	schedule.MustParse("*/15 * * * *", 5*time.Minute, ""),
}

// Terms generates what annotations ask for: nothing, mostly.
func Terms() *rapid.Generator[candidate.Terms] {
	return rapid.Custom(func(t *rapid.T) candidate.Terms {
		var terms candidate.Terms
		switch rapid.IntRange(0, 11).Draw(t, "asks for") {
		case 0:
			terms.Protect = candidate.Forever
		case 1:
			terms.Protect = time.Duration(rapid.IntRange(1, 180).Draw(t, "minutes")) * time.Minute
		case 2, 3, 4:
			terms.Window = rapid.SampledFrom(windows).Draw(t, "window")
		case 5:
			terms.Window = AnyWindow().Draw(t, "any window")
		case 6:
			terms.Invalid = true
		}
		return terms
	})
}

// Rules generates PDBs and PodDisruptionSchedules, some of them broken, that select the pods of Pods.
func Rules() *rapid.Generator[candidate.Rules] {
	return rapid.Custom(func(t *rapid.T) candidate.Rules {
		var pdbs []candidate.PDB
		for i := range rapid.IntRange(0, 4).Draw(t, "PDBs") {
			pdbs = append(pdbs, candidate.PDB{
				Namespace:          rapid.SampledFrom([]string{"shop", "shop", "ml"}).Draw(t, "namespace"),
				Name:               fmt.Sprint("pdb-", i),
				Selector:           Selector().Draw(t, "selector"),
				DisruptionsAllowed: rapid.IntRange(-1, 4).Draw(t, "allowed"),
				AlwaysAllow:        seldom.Draw(t, "always allow"),
			})
		}
		var schedules []candidate.PodSchedule
		if seldom.Draw(t, "PodDisruptionSchedule") {
			schedules = append(schedules, candidate.PodSchedule{
				Name:     "nightly",
				Selector: Selector().Draw(t, "selector"),
				Schedule: rapid.SampledFrom([]string{"0 2 * * *", "0 22 * * 1-5", "0 25 * * *"}).Draw(t, "schedule"),
				Duration: rapid.SampledFrom([]string{"", "8h", "1s"}).Draw(t, "duration"),
			})
		}
		rules, _ := candidate.Compile(pdbs, schedules)
		rules.FailClosed = seldom.Draw(t, "fail closed")
		return rules
	})
}

// Selector generates label selectors. One in some is nil, one in some broken.
func Selector() *rapid.Generator[*candidate.Selector] {
	return rapid.Custom(func(t *rapid.T) *candidate.Selector {
		var s candidate.Selector
		value := rapid.SampledFrom([]string{"web", "db", "job", "front", ""})
		switch rapid.IntRange(0, 19).Draw(t, "odd") {
		case 0:
			return nil
		case 1:
			return &s
		case 2:
			return &candidate.Selector{MatchLabels: map[string]string{"no label": "x"}}
		}
		if rapid.Bool().Draw(t, "labels") {
			s.MatchLabels = map[string]string{"app": value.Draw(t, "app")}
		}
		for range rapid.IntRange(0, 2).Draw(t, "expressions") {
			r := candidate.Requirement{
				Key:      rapid.SampledFrom([]string{"app", "tier", "none"}).Draw(t, "key"),
				Operator: rapid.SampledFrom([]string{"In", "NotIn", "Exists", "DoesNotExist", "In", "NotIn"}).Draw(t, "operator"),
			}
			if r.Operator == "In" || r.Operator == "NotIn" {
				r.Values = rapid.SliceOfN(value, 1, 3).Draw(t, "values")
			}
			s.MatchExpressions = append(s.MatchExpressions, r)
		}
		return &s
	})
}

// Annotations generates those of pods: for some keys values that are right, wrong or any text.
func Annotations() *rapid.Generator[map[string]string] {
	crons := rapid.OneOf(Cron(), Cron(), rapid.SampledFrom([]string{"", ";", "0 2 * * 6;0 14 * * 0", "0 0 * * sat-sun", "@every 1h", "TZ=UTC @daily"}), rapid.String())
	durations := rapid.OneOf(rapid.SampledFrom([]string{"", "1m", "4h", "1h;2h", "168h", "169h", "59s", "-5m", "1d", ";"}), rapid.String())
	values := map[string]*rapid.Generator[string]{
		candidate.DoNotDisruptAnnotation:               rapid.OneOf(rapid.SampledFrom([]string{"true", "false", "True", "4h", "0s", ""}), rapid.String()),
		candidate.DisruptionScheduleAnnotation:         crons,
		candidate.DisruptionScheduleDurationAnnotation: durations,
		candidate.DisruptionBlockScheduleAnnotation:    crons,
		candidate.DisruptionBlockDurationAnnotation:    durations,
		candidate.DisruptionScheduleTimeZoneAnnotation: rapid.OneOf(Zone(), Zone(), rapid.SampledFrom([]string{"Mars", "Local"}), rapid.String()),
		"karpenter.sh/disruption-duration":             durations,
		"example.com/owner":                            rapid.String(),
	}
	keys := slices.Sorted(maps.Keys(values))
	return rapid.Custom(func(t *rapid.T) map[string]string {
		annotations := map[string]string{}
		for _, key := range keys {
			if rapid.Bool().Draw(t, key) {
				annotations[key] = values[key].Draw(t, "value")
			}
		}
		return annotations
	})
}

// Labels generates labels with few keys and values, so that selectors of AnySelector match some of them.
func Labels() *rapid.Generator[map[string]string] {
	return rapid.MapOfN(labelKey(), labelValue(), 0, 5)
}

// AnySelector generates selectors that are valid, and as odd as those may be: of many values, of one key several times, and
// contradictions.
func AnySelector() *rapid.Generator[candidate.Selector] {
	requirement := rapid.Custom(func(t *rapid.T) candidate.Requirement {
		r := candidate.Requirement{
			Key:      labelKey().Draw(t, "key"),
			Operator: rapid.SampledFrom([]string{"In", "In", "NotIn", "Exists", "DoesNotExist"}).Draw(t, "operator"),
		}
		if r.Operator == "In" || r.Operator == "NotIn" {
			r.Values = rapid.SliceOfN(labelValue(), 1, rapid.SampledFrom([]int{1, 2, 30}).Draw(t, "at most")).Draw(t, "values")
		}
		return r
	})
	return rapid.Custom(func(t *rapid.T) candidate.Selector {
		return candidate.Selector{
			MatchLabels:      rapid.MapOfN(labelKey(), labelValue(), 0, rapid.SampledFrom([]int{0, 1, 3}).Draw(t, "at most")).Draw(t, "labels"),
			MatchExpressions: rapid.SliceOfN(requirement, 0, 3).Draw(t, "expressions"),
		}
	})
}

func labelKey() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{"app", "tier", "app.kubernetes.io/name", "zone", "team", "z"})
}

func labelValue() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{"", "a", "b", "c", "A", "a-1", "web", "0"})
}
