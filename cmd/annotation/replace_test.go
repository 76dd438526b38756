package annotation_test

import (
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
)

func TestRequests(t *testing.T) {
	nine := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		rule        string
		node, claim string // "-": not there
		asks        bool
		want        annotation.Request
	}{
		{"nobody asks", "-", "-", false, annotation.Request{}},
		{"true says no more", "true", "-", true, annotation.Request{}},
		{"any other value is why", "bad NIC", "-", true, annotation.Request{Why: "bad NIC"}},
		{"a time may come first", "2026-11-23T10:00:00+01:00 INC-1", "-", true, annotation.Request{Since: nine, Why: "INC-1"}},
		{"a time alone is no cause", "2026-11-23T09:00:00Z", "-", true, annotation.Request{Since: nine}},
		{"a time that is none belongs to the cause", "2026-11-23 INC-1", "-", true, annotation.Request{Why: "2026-11-23 INC-1"}},
		{"false asks for nothing", "false", "-", false, annotation.Request{}},
		{"nor does it in other letters", " False ", "-", false, annotation.Request{}},
		{"nor with a time", "2026-11-23T09:00:00Z false", "-", false, annotation.Request{}},
		{"an empty value asks for nothing", "", "-", false, annotation.Request{}},
		{"the NodeClaim may ask", "-", "INC-1", true, annotation.Request{Why: "INC-1"}},
		{"the Node's value counts where it has one", "false", "INC-1", false, annotation.Request{}},
	} {
		at := func(text string) map[string]string {
			if text == "-" {
				return nil
			}
			return map[string]string{annotation.Replace: text}
		}
		got, asks := annotation.ReadRequest(at(c.node), at(c.claim))
		if got.Since = got.Since.UTC(); got.Since.IsZero() {
			got.Since = time.Time{}
		}
		if got != c.want || asks != c.asks {
			t.Errorf("%s: %+v, %t", c.rule, got, asks)
		}
		if again, asks := annotation.ReadRequest(at(got.String()), nil); again != got || !asks {
			t.Errorf("%s: %q is read as %+v", c.rule, got, again)
		}
	}
}

// What was made to drift for a reason says which hash it had.
func TestWhatWasMadeToDriftKeepsItsHash(t *testing.T) {
	for _, reason := range []candidate.Reason{candidate.Expired, candidate.Requested, ""} {
		if was, got := annotation.MadeToDrift(annotation.DriftingHash(reason, "123")); was != "123" || got != reason {
			t.Errorf("%q: %s, %q", reason, was, got)
		}
	}
}
