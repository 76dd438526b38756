package wording

import "strings"

// spellings are those of karpenter.sh/v1 and of the disruption-controls-by-method RFC.
var spellings = []struct{ text, method string }{
	{"Drifted", "Drifted"}, {"Drift", "Drifted"},
	{"Empty", "Empty"}, {"Emptiness", "Empty"},
	{"Underutilized", "Underutilized"}, {"Consolidation", "Underutilized"},
	{"Expired", "Expired"}, {"Expiration", "Expired"},
	{"Unhealthy", "Unhealthy"},
	{"Requested", "Requested"},
}

// DriftReasons are the children of Drifted that Karpenter's core and its providers report, without their method.
var DriftReasons = []string{
	"NodePoolDrifted", "RequirementsDrifted", "InstanceTypeNotFound",
	"AMIDrift", "SubnetDrift", "SecurityGroupDrift", "CapacityReservationDrift", "NodeClassDrift",
	"K8sVersionDrift", "ImageVersionDrift",
}

// Method returns the method that a text spells, or "".
func Method(text string) string {
	return spelled(func(as string) bool { return as == text })
}

// MethodInAnyCase returns the method that a text spells, in any case, or "".
func MethodInAnyCase(text string) string {
	return spelled(func(as string) bool { return strings.EqualFold(as, text) })
}

// MeantMethod returns the method that a text probably means, such as Underutilized for "underutilised" and for
// "WhenUnderutilized", or "".
func MeantMethod(text string) string {
	text, _ = Plain(text)
	text = strings.TrimPrefix(strings.Trim(text, `" `), "When")
	if method := MethodInAnyCase(text); method != "" {
		return method
	}
	return spelled(func(as string) bool { return len(text) > 3 && Near(text, as) })
}

// spelled returns the method of the first spelling that meets a condition, or "".
func spelled(is func(string) bool) string {
	for _, s := range spellings {
		if is(s.text) {
			return s.method
		}
	}
	return ""
}

// Misspelt reports whether two different children of one method are the same but for case and one letter.
func Misspelt[Reason ~string](a, b Reason) bool {
	method, child, isChild := strings.Cut(string(a), "/")
	other, near, alsoChild := strings.Cut(string(b), "/")
	return a != b && isChild && alsoChild && method == other && Near(child, near)
}

// MeantReason returns the child that a reason is probably a misspelling of, if Karpenter or a provider reports it, or
// "".
func MeantReason[Reason ~string](reason Reason) Reason {
	for _, child := range DriftReasons {
		r := "Drifted/" + Reason(child)
		if r == reason {
			return ""
		}
		if Misspelt(r, reason) {
			return r
		}
	}
	return ""
}
