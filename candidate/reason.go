package candidate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/internal/label"
)

// A Reason says why a node should be disrupted: a method such as "Drifted", or a child of one such as
// "Drifted/AMIDrift", by the names of karpenter.sh/v1. The zero Reason "" is any reason, or an unknown one.
type Reason string

// The methods.
const (
	// Drifted nodes no longer are what their pool or provider would launch.
	Drifted Reason = "Drifted"
	// Empty nodes run no pods that would have to move.
	Empty Reason = "Empty"
	// Underutilized nodes are worth consolidating; the RFCs say Consolidation.
	Underutilized Reason = "Underutilized"
	// Expired nodes have outlived their pool's limit. It is for autoscalers that ask a budget before they expire a
	// node: Karpenter expires nodes without asking any budget.
	Expired Reason = "Expired"
	// Unhealthy nodes are broken, and are to be repaired: replaced, or rebooted in place. Its children are the types of node
	// conditions, such as Unhealthy/Ready or Unhealthy/example.com/DiskHealthy. (Karpenter v1.15: DisruptionReasonUnhealthy;
	// package repair says which nodes.)
	Unhealthy Reason = "Unhealthy"
)

// Methods returns the methods that every budget knows.
func Methods() []Reason { return []Reason{Drifted, Empty, Underutilized, Expired, Unhealthy} }

// spellings are those of karpenter.sh/v1 and of the disruption-controls-by-method RFC.
var spellings = []struct {
	text   string
	reason Reason
}{
	{"Drifted", Drifted}, {"Drift", Drifted},
	{"Empty", Empty}, {"Emptiness", Empty},
	{"Underutilized", Underutilized}, {"Consolidation", Underutilized},
	{"Expired", Expired}, {"Expiration", Expired},
	{"Unhealthy", Unhealthy},
}

// driftReasons are the children that Karpenter's core and its providers report.
var driftReasons = []string{
	"NodePoolDrifted", "RequirementsDrifted", "InstanceTypeNotFound",
	"AMIDrift", "SubnetDrift", "SecurityGroupDrift", "CapacityReservationDrift", "NodeClassDrift",
	"K8sVersionDrift", "ImageVersionDrift",
}

// DriftReasons returns the children of Drifted that Karpenter's core and its providers report, without their method.
func DriftReasons() []string { return slices.Clone(driftReasons) }

// ParseReason understands a method or a child of one, in the spellings of karpenter.sh/v1 and of the RFCs: "Drift" is
// Drifted, "Consolidation" is Underutilized, "Emptiness" is Empty, "Expiration" is Expired, and "Drift:AMIDrift" (the
// RFC's method:reason) is "Drifted/AMIDrift". A child may have any name that the reason of a Kubernetes condition may
// have; one of Unhealthy may have the name that the type of a condition may have, a label's key such as
// example.com/DiskHealthy. One that repeats its method ("Drifted/Drifted", as in conditions that have no reason of their own) is no
// child, and one that names another method, or the same in other case, is an error. Spelling is exact, as in the API.
// Further methods are known besides those of Methods. A reason that is returned is returned as it is when it is
// parsed again.
func ParseReason(text string, further ...Reason) (Reason, error) {
	name, child, isChild := text, "", false
	if end := strings.IndexAny(text, "/:"); end >= 0 {
		name, child, isChild = text[:end], text[end+1:], true
	}
	method := spelled(name, further)
	switch {
	case method == "":
		return "", fmt.Errorf("reason %.100q is unknown: write %s", text, suggest(name))
	case !isChild || spelled(child, further) == method:
		return method, nil
	case methodInAnyCase(child) == method:
		return "", fmt.Errorf("reason %.100q repeats its method: write %s", text, method)
	case methodInAnyCase(child) != "":
		return "", fmt.Errorf("reason %.100q names two methods: write %s or %s", text, method, methodInAnyCase(child))
	case strings.EqualFold(child, "all"):
		return "", fmt.Errorf("reason %.100q: %s covers all of its children: write %[2]s", text, method)
	case isChildName(child), method == Unhealthy && label.IsKey(child):
	case method == Unhealthy:
		return "", fmt.Errorf("reason %.100q has a malformed child: write the type of a node condition, such as Unhealthy/Ready", text)
	default:
		return "", fmt.Errorf("reason %.100q has a malformed child: write the reason of a condition, such as %s/AMIDrift", text, method)
	}
	if text[len(name)] == '/' && name == string(method) {
		return Reason(text), nil
	}
	return method + "/" + Reason(child), nil
}

// isChildName reports whether Kubernetes lets the reason of a condition be that: a letter, then letters, digits, _, :
// and commas, of which the last two do not come last.
func isChildName(s string) bool {
	if s == "" || !isLetter(s[0]) {
		return false
	}
	for i := range len(s) {
		c := s[i]
		inside := (c == ',' || c == ':') && i < len(s)-1
		if !isLetter(c) && (c < '0' || c > '9') && c != '_' && !inside {
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// spelled returns the method of that spelling, or "".
func spelled(text string, further []Reason) Reason {
	for _, s := range spellings {
		if s.text == text {
			return s.reason
		}
	}
	for _, r := range further {
		if string(r) == text {
			return r
		}
	}
	return ""
}

// suggest says what to write instead of a method.
func suggest(method string) string {
	if r := methodInAnyCase(method); r != "" {
		return string(r)
	}
	for _, child := range driftReasons {
		if strings.EqualFold(child, method) {
			return string(Drifted) + "/" + child
		}
	}
	return "Drifted, Empty, Underutilized, Expired or Unhealthy, or a child of one such as Drifted/AMIDrift"
}

// methodInAnyCase returns the method that a text is another spelling of, in any case, or "".
func methodInAnyCase(text string) Reason {
	for _, s := range spellings {
		if strings.EqualFold(s.text, text) {
			return s.reason
		}
	}
	return ""
}

// Method returns the method that r is, or is a child of: Drifted for Drifted/AMIDrift.
func (r Reason) Method() Reason {
	if i := strings.IndexByte(string(r), '/'); i >= 0 {
		return r[:i]
	}
	return r
}

// Eventual reports whether nodes are disrupted for r whatever their pods say, once their termination grace period ends: for
// drift. (Karpenter: EventualDisruptionClass.)
func (r Reason) Eventual() bool { return Drifted.Covers(r) }

// Covers reports whether child is r, or a child of r. "" covers every reason. Children have no children: the one that is named
// after the type example.com is another than that of the type example.com/DiskHealthy.
func (r Reason) Covers(child Reason) bool {
	return r == "" || r == child || len(child) > len(r) && child[len(r)] == '/' && child[:len(r)] == r && r.Method() == r
}

// Details returns "method:reason", or the method alone for a reason that is no child. The
// disruption-controls-by-method RFC shows it in a NodeClaim's status.disruptionDetails.
func (r Reason) Details() string { return strings.Replace(string(r), "/", ":", 1) }
