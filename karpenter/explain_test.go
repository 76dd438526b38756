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
	after := candidate.Blocker{Gate: candidate.GateBudget, Code: candidate.CodeExhausted, Message: "spent after that", Later: true}
	if got, want := told([]candidate.Blocker{after, b, b, b}), "pod/exhausted: spent; pod/exhausted: spent; pod/exhausted: spent; and 1 more"; got != want {
		t.Errorf("what comes later is told first: %q, not %q", got, want)
	}
	c := candidate.Candidate{Reason: candidate.Drifted, Blockers: []candidate.Blocker{b, after}}
	if got, want := codes(c), "Drifted pod/exhausted"; got != want {
		t.Errorf("%q, not %q: what comes later is no news", got, want)
	}
	for _, message := range []string{strings.Repeat("x", longestNote), strings.Repeat("ä", longestNote)} {
		got := shortened(message)
		if len(got) > 1024 || !utf8.ValidString(got) {
			t.Errorf("%d bytes, which an API server refuses: %.20s…", len(got), got)
		}
		if len(message) <= longestNote && got != message {
			t.Errorf("%q is shortened, although there is room for it", message)
		}
	}
}
