package karpenter

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/disruptkit/disruptkit/candidate"
)

func TestWhatIsSaidOfManyBlockersIsShort(t *testing.T) {
	b := candidate.Blocker{Gate: candidate.GatePod, Code: candidate.CodeExhausted, Message: "spent"}
	if got, want := told([]candidate.Blocker{b, b, b, b, b}), "pod/exhausted: spent; pod/exhausted: spent; pod/exhausted: spent; and 2 more"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	for _, message := range []string{strings.Repeat("x", longestNote), strings.Repeat("ä", longestNote)} {
		got := shortened(message)
		if len(got) > 1024 || !utf8.ValidString(got) {
			t.Errorf("%d bytes, which an API server refuses: %.20s…", len(got), got)
		}
		if len(message) <= longestNote && got != message {
			t.Errorf("%q is shortened, although it fits", message)
		}
	}
}
