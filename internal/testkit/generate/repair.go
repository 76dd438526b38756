package generate

import (
	"time"

	"github.com/disruptkit/disruptkit/repair"
)

var (
	conditionTypes    = []string{"Ready", "AcceleratorReady", "StorageReady"}
	conditionStatuses = []string{"False", "Unknown"}
)

// Policies generates valid lists of repair policies that overlap.
func Policies(s Source) []repair.Policy {
	policies := several(s, 0, 6, Policy)
	fallback := Policy(s)
	fallback.ReasonRegex, fallback.Action = "", repair.Replace
	return shuffled(s, append(policies, fallback))
}

// Policy generates repair policies with an expression. It picks from few tolerations, and a rank is worth half an hour,
// so that ties are frequent.
func Policy(s Source) repair.Policy {
	p := repair.Policy{
		ConditionType:      pick(s, conditionTypes...),
		ConditionStatus:    pick(s, conditionStatuses...),
		ReasonRegex:        pick(s, ".*", "Kubelet", "^Kubelet$", "XID(48|63)", "(?i)xid"),
		TolerationDuration: pick(s, 0, 10*time.Minute, 30*time.Minute, time.Hour),
		Priority:           pick(s, 0, 0, 1, 50, 100),
		Action:             pick(s, repair.Reboot, repair.Reboot, repair.Replace),
	}
	if s.Bool() {
		period := pick(s, 0, time.Minute, 5*time.Minute)
		p.TerminationGracePeriod = &period
	}
	return p
}

// Unhealthy generates nodes around a time. Most have conditions that call for repair. Times may be missing, or in the
// future.
func Unhealthy(now time.Time) func(Source) repair.Node {
	return func(s Source) repair.Node {
		at := func() time.Time {
			if s.seldom() {
				return time.Time{}
			}
			return now.Add(time.Duration(s.Between(-30, 3)) * 5 * time.Minute)
		}
		n := repair.Node{Created: at()}
		if s.seldom() {
			n.RebootEnded = at()
		}
		for range s(4) {
			n.Reboots = n.Reboots.Add(now.Add(time.Duration(s.Between(-30, 1)) * time.Hour))
		}
		for _, conditionType := range shuffled(s, append([]string{"DiskPressure"}, conditionTypes...)) {
			n.Conditions = append(n.Conditions, repair.Condition{
				Type:               conditionType,
				Status:             pick(s, append([]string{"True"}, conditionStatuses...)...),
				Reason:             pick(s, "", "Kubelet", "KubeletDown", "NvidiaXID48Error", "nvidia xid"),
				LastTransitionTime: at(),
			})
		}
		return n
	}
}
