package annotation_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/probe"
)

// A secret may be in a query, or in the value of a header. What is shown of a probe ends up in logs and events.
func TestASecretIsNeverShown(t *testing.T) {
	const word, number = "hunter2", "86753"
	for _, c := range []struct{ name, list string }{
		{"in a query", `[{"host": "health", "port": 80, "path": "/ok?token=hunter2"}]`},
		{"in a query, next to a fault", `[{"host": "health", "port": 0, "path": "/ok?token=hunter2"}]`},
		{"in the query of a path without its slash", `[{"host": "health", "port": 80, "path": "healthz?token=hunter2"}]`},
		{"in the query of a path with a fragment", `[{"host": "health", "port": 80, "path": "/ok?token=hunter2#pools"}]`},
		{"in a fragment", `[{"host": "health", "port": 80, "path": "/ok?token=#hunter2"}]`},
		{"in the query of a path with a space", `[{"host": "health", "port": 80, "path": "/ok?token=hunter2 "}]`},
		{"in the query of a path with an escape that is none", `[{"host": "health", "port": 80, "path": "/%zz?token=hunter2"}]`},
		{"in a URL for a path", `[{"host": "health", "port": 80, "path": "https://me:hunter2@health/ok?token=hunter2"}]`},
		{"in a URL for a host", `[{"host": "https://me:hunter2@health/ok?token=hunter2", "port": 80}]`},
		{"in a URL for a probe", `["https://me:hunter2@health/ok?token=hunter2"]`},
		{"in a URL for a list", `"https://me:hunter2@health/ok?token=hunter2"`},
		{"in a path that is a list", `[{"host": "health", "port": 80, "path": ["/ok?token=hunter2"]}]`},
		{"in a probe for a list", `{"host": "health", "port": 80, "path": "/ok?token=hunter2"}`},
		{"in a list that is malformed", `[{"host": "health", "port": 80, "path": "/ok?token=hunter2"`},
		{"in a header for the list of them", `[{"host": "health", "port": 80, "httpHeaders": {"name": "Authorization", "value": "hunter2"}}]`},
		{"in the line of a header", `[{"host": "health", "port": 80, "httpHeaders": ["Authorization: hunter2"]}]`},
		{"in the line of a header for its name", `[{"host": "health", "port": 80, "httpHeaders": [{"name": "Authorization: hunter2"}]}]`},
		{"in the value of a header that is a list", `[{"host": "health", "port": 80, "httpHeaders": [{"name": "Authorization", "value": ["hunter2"]}]}]`},
		{"in the value of a header that is a number", `[{"host": "health", "port": 80, "httpHeaders": [{"name": "Authorization", "value": 8675309123}]}]`},
		{"in the value of a header that is a fraction", `[{"host": "health", "port": 80, "httpHeaders": [{"name": "Authorization", "value": -86753.09123}]}]`},
		{"in the name of a header that is a number", `[{"host": "health", "port": 80, "httpHeaders": [{"name": 8675309123, "value": "x"}]}]`},
		{"in a header that is a number", `[{"host": "health", "port": 80, "httpHeaders": [8675309123]}]`},
		{"in headers that are a number", `[{"host": "health", "port": 80, "httpHeaders": 8675309123}]`},
		{"in a path that is a number", `[{"host": "health", "port": 80, "path": 8675309123}]`},
		{"in a host that is a list", `[{"host": ["https://me:hunter2@health/ok?token=hunter2"], "port": 80}]`},
		{"in a name that is an object", `[{"name": {"Authorization": "hunter2"}, "host": "health", "port": 80}]`},
		{"in a URL for a port", `[{"host": "health", "port": "80/ok?token=hunter2"}]`},
		{"in a URL for a scheme", `[{"scheme": "https://me:hunter2@health/ok?token=hunter2", "host": "health", "port": 80}]`},
		{"in a URL for a mode", `[{"mode": "https://me:hunter2@health/ok?token=hunter2", "host": "health", "port": 80}]`},
		{"in a timeout that is a header", `[{"host": "health", "port": 80, "timeoutSeconds": {"Authorization": "hunter2"}}]`},
		{"in a header line for a field of a header", `[{"host": "health", "port": 80, "httpHeaders": [{"Authorization: hunter2": ""}]}]`},
		{"in a header line for a field of a header, twice", `[{"host": "health", "port": 80, "httpHeaders": [{"Authorization: hunter2": "", "Authorization: hunter2": ""}]}]`},
		{"in a header line without a colon for its name", `[{"host": "health", "port": 80, "httpHeaders": [{"name": "Authorization=hunter2 hunter2"}]}]`},
		{"in a URL for a field of a probe", `[{"https://me:hunter2@health/ok?token=hunter2": ""}]`},
		{"in the name of a header that is a list", `[{"host": "health", "port": 80, "httpHeaders": [{"name": ["Authorization", "hunter2"]}]}]`},
		{"in a header", `[{"host": "health", "port": 80, "httpHeaders": [{"name": "Authorization", "value": "Bearer hunter2"}]}]`},
		{"in a header, next to a fault", `[{"host": "health", "port": 0, "httpHeaders": [{"name": "Authorization", "value": "Bearer hunter2"}]}]`},
		{"in a header of two lines", `[{"host": "health", "port": 80, "httpHeaders": [{"name": "Authorization", "value": "Bearer hunter2\n"}]}]`},
		{"in a header with a name that is wrong", `[{"host": "health", "port": 80, "httpHeaders": [{"name": "X Token", "value": "hunter2"}]}]`},
		{"in a header with a field that is unknown", `[{"host": "health", "port": 80, "httpHeaders": [{"name": "Authorization", "values": "hunter2"}]}]`},
		{"in a header with a field that stands twice", `[{"host": "health", "port": 80, "httpHeaders": [{"name": "Authorization", "value": "hunter2", "value": "hunter2"}]}]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			probes, err := annotation.ParseProbes([]byte(c.list))
			shown := []string{fmt.Sprint(err)}
			for _, p := range probes {
				shown = append(shown, p.String(), p.Broken, fmt.Sprint(p.Validate()))
				for _, o := range []probe.Observation{{At: noon, Healthy: true, Streak: 1}, {}, {At: noon, Streak: -1, Cause: "it answered 503"}} {
					for _, now := range []time.Time{noon, noon.Add(time.Hour), noon.Add(-time.Hour)} {
						v := probe.ProbeVerdict(p.Probe(), o, now)
						b, _ := v.Blocker(candidate.Drifted, "gpu", nil, now)
						shown = append(shown, v.String(), v.Cause, b.String())
					}
				}
			}
			for _, s := range shown {
				if strings.Contains(s, word) || strings.Contains(s, number) {
					t.Errorf("it is there: %s", s)
				}
			}
		})
	}
}
