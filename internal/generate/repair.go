package generate

import (
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/repair"
)

var (
	conditionTypes    = []string{"Ready", "AcceleratorReady", "StorageReady"}
	conditionStatuses = []string{"False", "Unknown"}
	// tolerations are few, and ranks are worth half an hour, so that ties are frequent.
	tolerations = []time.Duration{0, 10 * time.Minute, 30 * time.Minute, time.Hour}
)

// Policies generates lists of repair policies without a fault, in which policies overlap.
func Policies() *rapid.Generator[[]repair.Policy] {
	return rapid.Custom(func(t *rapid.T) []repair.Policy {
		policies := rapid.SliceOfN(Policy(), 0, 6).Draw(t, "policies")
		fallback := Policy().Draw(t, "fallback")
		fallback.ReasonRegex, fallback.Action = "", repair.Replace
		return rapid.Permutation(append(policies, fallback)).Draw(t, "order")
	})
}

// Policy generates repair policies with an expression.
func Policy() *rapid.Generator[repair.Policy] {
	return rapid.Custom(func(t *rapid.T) repair.Policy {
		p := repair.Policy{
			ConditionType:      rapid.SampledFrom(conditionTypes).Draw(t, "type"),
			ConditionStatus:    rapid.SampledFrom(conditionStatuses).Draw(t, "status"),
			ReasonRegex:        rapid.SampledFrom([]string{".*", "Kubelet", "^Kubelet$", "XID(48|63)", "(?i)xid"}).Draw(t, "expression"),
			TolerationDuration: rapid.SampledFrom(tolerations).Draw(t, "toleration"),
			Priority:           rapid.SampledFrom([]int{0, 0, 1, 50, 100}).Draw(t, "priority"),
			Action:             rapid.SampledFrom([]repair.Action{repair.Reboot, repair.Reboot, repair.Replace}).Draw(t, "action"),
		}
		if rapid.Bool().Draw(t, "bounds") {
			p.TerminationGracePeriod = new(rapid.SampledFrom([]time.Duration{0, time.Minute, 5 * time.Minute}).Draw(t, "bound"))
		}
		return p
	})
}

// Unhealthy generates nodes, most of which have conditions that call for repair, around a time. Times may be missing, and lie in
// the future.
func Unhealthy(now time.Time) *rapid.Generator[repair.Node] {
	return rapid.Custom(func(t *rapid.T) repair.Node {
		at := func(label string) time.Time {
			if seldom.Draw(t, label+" unknown") {
				return time.Time{}
			}
			return now.Add(time.Duration(rapid.IntRange(-30, 3).Draw(t, label)) * 5 * time.Minute)
		}
		n := repair.Node{Created: at("created")}
		if seldom.Draw(t, "rebooted") {
			n.RebootEnded = at("reboot ended")
		}
		for range rapid.IntRange(0, 3).Draw(t, "reboots") {
			n.Reboots = n.Reboots.Add(now.Add(time.Duration(rapid.IntRange(-30, 1).Draw(t, "rebooted")) * time.Hour))
		}
		for _, conditionType := range rapid.Permutation(append([]string{"DiskPressure"}, conditionTypes...)).Draw(t, "conditions") {
			n.Conditions = append(n.Conditions, repair.Condition{
				Type:               conditionType,
				Status:             rapid.SampledFrom(append([]string{"True"}, conditionStatuses...)).Draw(t, "status"),
				Reason:             rapid.SampledFrom([]string{"", "Kubelet", "KubeletDown", "NvidiaXID48Error", "nvidia xid"}).Draw(t, "reason"),
				LastTransitionTime: at("transition"),
			})
		}
		return n
	})
}
