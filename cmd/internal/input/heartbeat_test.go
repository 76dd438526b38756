package input

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// The last heartbeat is found wherever reads are cut, in JSON and in YAML.
func TestTheLastHeartbeatIsFound(t *testing.T) {
	const newest = "2026-11-20T10:30:00Z"
	for name, text := range map[string]string{
		"JSON": `{"lastHeartbeatTime": "2026-11-20T10:25:00Z", "a": 1}` + strings.Repeat(" ", 600) + `{"lastHeartbeatTime":"` + newest + `"}`,
		"YAML": "lastHeartbeatTime: \"" + newest + "\"\nlastHeartbeatTime: 2026-11-19T10:30:00Z\nlastHeartbeatTime: null\n",
		"none": `{"lastHeartbeatTime": null, "x": "lastHeartbeatTime"}`,
	} {
		for _, reader := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text)), iotest.HalfReader(strings.NewReader(text))} {
			h := &heartbeats{ReadCloser: io.NopCloser(reader)}
			if got, err := io.ReadAll(h); err != nil || string(got) != text {
				t.Fatalf("%s: %v, %q", name, err, got)
			}
			want := newest
			if name == "none" {
				want = "0001-01-01T00:00:00Z"
			}
			if got := h.last().Format("2006-01-02T15:04:05Z"); got != want {
				t.Errorf("%s: %s, want %s", name, got, want)
			}
		}
	}
}
