package stray

import (
	"strings"

	"github.com/disruptkit/disruptkit/internal/wording"
)

// MeantPolicy returns the consolidationPolicy that a text was meant to be, such as WhenEmptyOrUnderutilized for
// WhenUnderutilized, its name in karpenter.sh/v1beta1, or "" if that is not obvious.
func MeantPolicy(text string) string {
	const all = "WhenEmptyOrUnderutilized"
	plain, _ := wording.Plain(text)
	for _, known := range [][2]string{
		{all, all}, {"WhenUnderutilized", all}, {"WhenEmpty", "WhenEmpty"}, {"Balanced", "Balanced"},
	} {
		if strings.EqualFold(strings.TrimSpace(plain), known[0]) {
			return known[1]
		}
	}
	return ""
}
