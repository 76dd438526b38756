package manifest_test

import (
	"testing"
)

// The newest time is that of the last heartbeat, or of what has happened since.
func TestTheNewestTimeIsOfAHeartbeatOrLater(t *testing.T) {
	beats := func(times string) string {
		return different(t, node, `{"status": {"conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": "2026-11-20T09:00:00Z"},`+times+`]}}`)
	}
	const beat = `{"type": "MemoryPressure", "status": "False", "lastHeartbeatTime": "2026-11-20T10:25:00Z"}, {"type": "DiskPressure", "lastHeartbeatTime": "2026-11-20T10:20:00Z"}`
	started := func(at string) string { return different(t, pod, `{"status": {"startTime": "`+at+`"}}`) }
	for rule, test := range map[string]struct{ objects, want string }{
		"the last heartbeat":         {documents(nodeClaim, beats(beat)), "2026-11-20T10:25:00Z"},
		"a pod has started since":    {documents(nodeClaim, beats(beat), started("2026-11-20T10:27:00Z")), "2026-11-20T10:27:00Z"},
		"a pod that started earlier": {documents(nodeClaim, beats(beat), started("2026-11-20T10:00:00Z")), "2026-11-20T10:25:00Z"},
		"no heartbeat":               {documents(nodeClaim, beats(`{"type": "x", "lastHeartbeatTime": null}`), started("2026-11-20T10:27:00Z")), "0001-01-01T00:00:00Z"},
		"a heartbeat without a time": {documents(nodeClaim, beats(`{"type": "x", "lastHeartbeatTime": "soon"}`)), "0001-01-01T00:00:00Z"},
	} {
		if got := read(t, test.objects).Newest(); !got.Equal(date(test.want)) {
			t.Errorf("%s: %s, want %s", rule, got, test.want)
		}
	}
}
