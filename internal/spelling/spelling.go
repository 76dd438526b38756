// Package spelling finds names that are probably the same name, misspelt.
package spelling

import "github.com/disruptkit/disruptkit/candidate"

// Near reports whether two names are the same but for case and one letter: a missing, an additional or a different one,
// or two that are swapped. Names of one letter have nothing in common. It allocates nothing.
func Near(a, b string) bool {
	if max(len(a), len(b)) < 2 || len(a)-len(b) > 1 || len(b)-len(a) > 1 {
		return a == b
	}
	for a != "" && b != "" && same(a[0], b[0]) {
		a, b = a[1:], b[1:]
	}
	for a != "" && b != "" && same(a[len(a)-1], b[len(b)-1]) {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	swapped := len(a) == 2 && len(b) == 2 && same(a[0], b[1]) && same(a[1], b[0])
	return swapped || len(a) <= 1 && len(b) <= 1
}

// same reports whether two letters are the same but for case.
func same(a, b byte) bool { return a == b || a|0x20 == b|0x20 && 'a' <= a|0x20 && a|0x20 <= 'z' }

// Misspelt reports whether two different children of one method are near.
func Misspelt(a, b candidate.Reason) bool {
	m := len(a.Method())
	return a != b && m < len(a) && m < len(b) && b[m] == '/' && a[:m] == b[:m] && Near(string(a[m+1:]), string(b[m+1:]))
}

// OfKnown returns the child that Karpenter or its providers report and of which a reason is probably a misspelling, or
// "".
func OfKnown(reason candidate.Reason) candidate.Reason {
	for _, child := range candidate.DriftReasons() {
		r := candidate.Drifted + "/" + candidate.Reason(child)
		if r == reason {
			return ""
		}
		if Misspelt(r, reason) {
			return r
		}
	}
	return ""
}
