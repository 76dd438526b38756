package candidate

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/internal/wording"
)

// A Reason is why a node should be disrupted: a method such as "Drifted", or a child of one such as
// "Drifted/AMIDrift", with the names of karpenter.sh/v1. The zero Reason "" means any reason, or an unknown one.
type Reason string

// The methods.
const (
	// Drifted nodes are no longer what their pool or provider would launch.
	Drifted Reason = "Drifted"
	// Empty nodes run no pods that would have to move.
	Empty Reason = "Empty"
	// Underutilized nodes are worth consolidating; the RFCs say Consolidation.
	Underutilized Reason = "Underutilized"
	// Expired nodes have reached their pool's maximum age. The reason is for autoscalers that check budgets before they
	// expire a node. Karpenter does not.
	Expired Reason = "Expired"
	// Unhealthy nodes are broken and need repair: they are replaced, or rebooted in place. Its children are types of
	// node conditions, such as Unhealthy/Ready or Unhealthy/example.com/DiskHealthy. (Karpenter v1.15:
	// DisruptionReasonUnhealthy. Package repair finds these nodes.)
	Unhealthy Reason = "Unhealthy"
	// Requested nodes are healthy, and somebody wants them replaced. (karpenter.sh/v1 does not have this reason; see
	// karpenter#688.)
	Requested Reason = "Requested"
)

// Methods returns the methods of Karpenter, and Expired. Requested is not among them: few pools have such nodes.
func Methods() []Reason { return []Reason{Drifted, Empty, Underutilized, Expired, Unhealthy} }

// ParseReason parses a method, or a child of one, in the spelling of karpenter.sh/v1 or of the RFCs: "Drift" is
// Drifted, "Consolidation" is Underutilized, "Emptiness" is Empty, "Expiration" is Expired, and "Drift:AMIDrift" (the
// RFC's method:reason) is "Drifted/AMIDrift". Case matters, as in the API. Further methods are accepted in addition to
// [Methods].
//
// A child may have any name that Kubernetes allows as the reason of a condition. A child of Unhealthy may have any name
// allowed as the type of a condition: a label key such as example.com/DiskHealthy. A child that repeats its method
// ("Drifted/Drifted", as in conditions without a reason of their own) is the method itself. A child that names another
// method, or its own method in another case, is an error.
//
// Parsing a returned reason again returns the same reason.
func ParseReason(text string, further ...Reason) (Reason, error) {
	name, child, isChild := text, "", false
	if end := strings.IndexAny(text, "/:"); end >= 0 {
		name, child, isChild = text[:end], text[end+1:], true
	}
	method, again := spelled(name, further), wording.MethodInAnyCase(child)
	switch {
	case method == "":
		return "", fmt.Errorf("reason %.100q is unknown: write %s", text, suggest(name))
	case !isChild || spelled(child, further) == method:
		return method, nil
	case again == string(method):
		return "", fmt.Errorf("reason %.100q repeats its method: write %s", text, method)
	case again != "":
		return "", fmt.Errorf("reason %.100q names two methods: write %s or %s", text, method, again)
	case strings.EqualFold(child, "all"):
		return "", fmt.Errorf("reason %.100q: %s covers all of its children: write %[2]s", text, method)
	case childName.MatchString(child), method == Unhealthy && wording.IsLabelKey(child):
	case method == Unhealthy:
		return "", fmt.Errorf("reason %.100q has a malformed child: write the type of a node condition, "+
			"such as Unhealthy/Ready", text)
	default:
		return "", fmt.Errorf("reason %.100q has a malformed child: write the reason of a condition, "+
			"such as %s/AMIDrift", text, method)
	}
	if text[len(name)] == '/' && name == string(method) {
		return Reason(text), nil
	}
	return method + "/" + Reason(child), nil
}

// childName is what Kubernetes allows as the reason of a condition.
var childName = regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`)

func spelled(text string, further []Reason) Reason {
	if method := wording.Method(text); method != "" || !slices.Contains(further, Reason(text)) {
		return Reason(method)
	}
	return Reason(text)
}

// suggest returns what to write instead of an unknown method.
func suggest(method string) string {
	if meant := wording.MeantMethod(method); meant != "" {
		return meant
	}
	for _, child := range wording.DriftReasons {
		if strings.EqualFold(child, method) {
			return string(Drifted) + "/" + child
		}
	}
	return "Drifted, Empty, Underutilized, Expired or Unhealthy, or a child of one such as Drifted/AMIDrift"
}

// Method returns the method of r: Drifted for Drifted and for Drifted/AMIDrift.
func (r Reason) Method() Reason {
	method, _, _ := strings.Cut(string(r), "/")
	return Reason(method)
}

// Covers reports whether child is r or a child of r. "" covers every reason. Children have no children:
// Unhealthy/example.com does not cover Unhealthy/example.com/DiskHealthy.
func (r Reason) Covers(child Reason) bool {
	return r == "" || r == child || len(child) > len(r) && child[len(r)] == '/' && child[:len(r)] == r &&
		r.Method() == r
}
