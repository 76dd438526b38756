package generate

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// Pods generates the pods of a node. Few of them have restrictions.
func Pods(now time.Time) func(Source) []candidate.Pod {
	return func(s Source) []candidate.Pod {
		pods := several(s, 0, 3, func(s Source) candidate.Pod { return pod(s, now) })
		for i := range pods {
			pods[i].Name = fmt.Sprintf("%s-%d", pods[i].Labels["app"], i)
		}
		return pods
	}
}

func pod(s Source, now time.Time) candidate.Pod {
	p := candidate.Pod{
		Namespace:   pick(s, "shop", "shop", "ml"),
		Labels:      map[string]string{"app": pick(s, "web", "db", "job")},
		Inactive:    s.seldom(),
		Unevictable: s.seldom(),
		Unready:     s.seldom(),
	}
	p.Stays = p.Namespace == "ml" && p.Labels["app"] == "job"
	if s.Bool() {
		p.Labels["tier"] = pick(s, "", "front")
	}
	if s.Bool() {
		p.Started = now.Add(time.Duration(s.Between(-180, 10)) * time.Minute)
	}
	p.Terms = Terms(s)
	return p
}

// windows are windows of pods that open and close often, some at the same times.
var windows = []schedule.Window{
	schedule.MustParse("0 2 * * *", 4*time.Hour, ""),
	schedule.MustParse("0 9 * * mon-fri", 8*time.Hour, "Europe/Berlin").Outside(),
	schedule.MustParse("30 * * * *", 40*time.Minute, ""),
	schedule.MustParse("0 * * * *", 20*time.Minute, "").Outside(),
	schedule.MustParse("*/15 * * * *", 5*time.Minute, ""),
}

// Terms generates the Terms of a pod, often zero.
func Terms(s Source) (terms candidate.Terms) {
	switch s(12) {
	case 2, 3:
		terms.Protect = candidate.Forever
	case 4, 5:
		terms.Protect = time.Duration(s.Between(1, 180)) * time.Minute
	case 6, 7, 8, 9:
		terms.Window = pick(s, windows...)
	case 10:
		terms.Window = AnyWindow(s)
	case 11:
		terms.Invalid = true
	}
	return terms
}

// Rules generates PDBs and PodDisruptionSchedules, some of them broken, that select the pods of Pods.
func Rules(s Source) candidate.Rules {
	pdbs := several(s, 0, 4, func(s Source) candidate.PDB {
		return candidate.PDB{
			Namespace:          pick(s, "shop", "shop", "ml"),
			Selector:           Selector(s),
			DisruptionsAllowed: s.Between(-1, 4),
			AlwaysAllow:        s.seldom(),
		}
	})
	for i := range pdbs {
		pdbs[i].Name = fmt.Sprint("pdb-", i)
	}
	var schedules []candidate.PodSchedule
	if s.seldom() {
		schedules = append(schedules, candidate.PodSchedule{
			Name:     "nightly",
			Selector: Selector(s),
			Schedule: pick(s, "0 2 * * *", "0 22 * * 1-5", "0 25 * * *"),
			Duration: pick(s, "", "8h", "1s"),
		})
	}
	rules, _ := candidate.CompileRules(pdbs, schedules)
	rules.FailClosed = s.seldom()
	return rules
}
