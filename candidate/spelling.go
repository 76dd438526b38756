package candidate

import "github.com/disruptkit/disruptkit/internal/wording"

// Misspelt reports whether two different children of one method are the same but for case and one letter.
func Misspelt(a, b Reason) bool {
	m := len(a.Method())
	children := m < len(a) && m < len(b) && b[m] == '/' && a[:m] == b[:m]
	return a != b && children && wording.Near(string(a[m+1:]), string(b[m+1:]))
}

// MeantReason returns the child that Karpenter or its providers report and of which a reason is probably a misspelling,
// or "".
func MeantReason(reason Reason) Reason {
	for _, child := range DriftReasons() {
		r := Drifted + "/" + Reason(child)
		if r == reason {
			return ""
		}
		if Misspelt(r, reason) {
			return r
		}
	}
	return ""
}
