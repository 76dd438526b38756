package kube_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/kube"
)

// Whoever may create pods can write annotations as long as Kubernetes takes them: 256 KiB for each pod.
func TestAParserHoldsNoMoreThanItsCacheWhateverItReads(t *testing.T) {
	const mib = 1 << 20
	list := func(n int, part func(i int) string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = part(i)
		}
		return strings.Join(parts, ";")
	}
	cron := func(pod int) func(i int) string {
		return func(i int) string { return fmt.Sprintf("%d %d %d * *", i, pod%24, 1+pod/24%28) }
	}
	zones := []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Kathmandu"}
	both := func(schedules, durations, zone string) map[string]string {
		return map[string]string{
			kube.DisruptionScheduleAnnotation: schedules, kube.DisruptionBlockScheduleAnnotation: schedules,
			kube.DisruptionScheduleDurationAnnotation: durations, kube.DisruptionBlockDurationAnnotation: durations,
			kube.DisruptionScheduleTimeZoneAnnotation: zone,
		}
	}
	for _, c := range []struct {
		name string
		pods int
		read func(pod int) map[string]string
	}{
		{"50 schedules and 50 block schedules in a zone", 100, func(pod int) map[string]string {
			return both(list(50, cron(pod)), fmt.Sprintf("%dm", 1+pod), zones[pod%len(zones)])
		}},
		{"as many with a duration each", 100, func(pod int) map[string]string {
			return both(list(50, cron(pod)), list(50, func(i int) string { return fmt.Sprintf("%dm", 1+pod+i) }), zones[pod%len(zones)])
		}},
		{"a single schedule", 4_000, func(pod int) map[string]string {
			return map[string]string{kube.DisruptionScheduleAnnotation: "@daily", kube.DisruptionScheduleDurationAnnotation: fmt.Sprintf("%ds", 60+pod)}
		}},
		{"do-not-disrupt alone", 10_000, func(pod int) map[string]string {
			return map[string]string{kube.DoNotDisruptAnnotation: fmt.Sprintf("%dm", 1+pod)}
		}},
		{"schedules that are as long as they may be", 25, func(pod int) map[string]string {
			return both(list(50, func(i int) string { return cron(pod)(i) + strings.Repeat(",*", 400) }), "1h", zones[0])
		}},
		{"schedules with much white space", 35, func(pod int) map[string]string {
			return both(list(50, func(i int) string { return cron(pod)(i) + strings.Repeat(" ", 2000) }), "1h", zones[0])
		}},
		{"schedules and durations that are wrong", 20, func(pod int) map[string]string {
			return both(list(50, func(i int) string { return fmt.Sprintf("%d 99 * %d %s", i, pod, strings.Repeat("\U0010ffff", 200)) }),
				list(50, func(i int) string { return strings.Repeat("\x01", 200) }), "")
		}},
		{"a long text that is not a duration", 70, func(pod int) map[string]string {
			return map[string]string{kube.DoNotDisruptAnnotation: fmt.Sprint(pod, strings.Repeat("x", 250_000))}
		}},
		{"a text of semicolons", 15, func(pod int) map[string]string {
			return both(fmt.Sprint(pod, strings.Repeat(";", 100_000)), "", "")
		}},
		{"many annotations that nobody knows", 10, func(pod int) map[string]string {
			all := map[string]string{}
			for i := range 5000 {
				all[fmt.Sprintf("karpenter.sh/disruption-%d", i)] = fmt.Sprint(pod)
			}
			return all
		}},
		{"texts that are part of longer ones", 35, func(pod int) map[string]string {
			long := strings.Repeat("x", 250_000) + fmt.Sprintf("%d minutes", 1+pod)
			return map[string]string{kube.DoNotDisruptAnnotation: long[250_000:]}
		}},
		{"a pod that alone has more than that", 3, func(pod int) map[string]string {
			return map[string]string{kube.DoNotDisruptAnnotation: fmt.Sprint(pod, strings.Repeat("x", 10*mib))}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			parser := kube.NewSmallParser()
			before, most := liveHeap(), 0
			for pod := range c.pods {
				parser.Terms("shop", "web-0", c.read(pod))
				if pod%(1+c.pods/8) == 0 || pod == c.pods-1 {
					most = max(most, liveHeap()-before)
				}
			}
			t.Logf("%d pods: %.1f MiB", c.pods, float64(most)/mib)
			if most > kube.Small {
				t.Errorf("it holds %.1f MiB after %d pods", float64(most)/mib, c.pods)
			}
			runtime.KeepAlive(parser)
		})
	}
}

// liveHeap returns how many bytes of the heap can be reached.
func liveHeap() int {
	runtime.GC()
	runtime.GC() // the first frees what it used
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// TestPodsShareTheirZones since a zone takes more than the schedules in it.
func TestPodsShareTheirZones(t *testing.T) {
	const pods = 1000
	before := liveHeap()
	terms := make([]candidate.Terms, pods)
	for i := range terms {
		var parser kube.Parser // that has seen nothing
		terms[i], _ = parser.Terms("shop", "web-0", map[string]string{
			kube.DisruptionScheduleAnnotation:         fmt.Sprintf("%d %d * * *", i%60, i/60),
			kube.DisruptionScheduleTimeZoneAnnotation: "Europe/Berlin",
		})
	}
	if held := liveHeap() - before; held > 1000*pods {
		t.Errorf("%d pods hold %d bytes", pods, held)
	}
	runtime.KeepAlive(terms)
}
