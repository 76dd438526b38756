package input

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// The newest time is found wherever reads are cut, in JSON and in YAML, where nodes have heartbeats.
func TestTheNewestTimeIsFound(t *testing.T) {
	const last = "2026-11-20T10:30:00Z"
	for name, text := range map[string]string{
		"JSON":           `{"lastHeartbeatTime": "2026-11-20T10:25:00Z", "a": 1}` + strings.Repeat(" ", 600) + `{"lastHeartbeatTime":"` + last + `"}`,
		"YAML":           "lastHeartbeatTime: \"" + last + "\"\nlastHeartbeatTime: 2026-11-19T10:30:00Z\nlastHeartbeatTime: null\n",
		"a later change": `{"lastHeartbeatTime": "2026-11-20T10:25:00Z", "lastTransitionTime": "` + last + `", "deletionTimestamp": "2027-11-20T10:25:00Z"}`,
		"none":           `{"creationTimestamp": "2026-11-20T10:25:00Z", "lastHeartbeatTime": null, "x": "lastHeartbeatTime"}`,
	} {
		for _, reader := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text)), iotest.HalfReader(strings.NewReader(text))} {
			h := &newest{ReadCloser: io.NopCloser(reader)}
			if got, err := io.ReadAll(h); err != nil || string(got) != text {
				t.Fatalf("%s: %v, %q", name, err, got)
			}
			want := last
			if name == "none" {
				want = "0001-01-01T00:00:00Z"
			}
			if got := h.at().Format("2006-01-02T15:04:05Z"); got != want {
				t.Errorf("%s: %s, want %s", name, got, want)
			}
		}
	}
}
