package steward

import (
	"bytes"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/replay"
)

// recorded plays a scenario whose steward records, and returns the recording, and the nodes that were released.
func recorded(t *testing.T, s scenario) (recording string, released []string) {
	t.Helper()
	var lines bytes.Buffer
	r := newRollout(s, 0)
	r.heir.Recording = replay.NewRecorder(&lines, func(err error) { t.Error(err) })
	r.sabotage = func(_ *seat, o client.Object, patch client.Patch, do func(client.Patch) error) error {
		err := do(patch)
		if n, isNode := o.(*corev1.Node); isNode && err == nil {
			if mark := annotation.ReadMark(n.Annotations); mark.Until.After(r.now) && (mark.Disrupt == annotation.None || mark.Repair == annotation.None) {
				released = append(released, n.Name)
			}
		}
		return err
	}
	if wrong := r.play(); len(wrong) > 0 {
		t.Fatal(strings.Join(wrong, "\n"))
	}
	return lines.String(), released
}

func replayed(t *testing.T, recording string) (all []string) {
	t.Helper()
	n, err := replay.Check(strings.NewReader(recording), func(d replay.Divergence) { all = append(all, d.String()) })
	if err != nil || n != strings.Count(recording, "\n") {
		t.Errorf("%d of %d decisions are replayed, %v", n, strings.Count(recording, "\n"), err)
	}
	return all
}

// Whatever the steward decided in a whole roll can be made again from its recording alone, and it has released nothing else.
func TestRollsAreReplayedFromTheirRecordings(t *testing.T) {
	for _, s := range scenarios {
		recording, released := recorded(t, s)
		if all := replayed(t, recording); len(all) > 0 {
			t.Errorf("%s: %s", s.rule, strings.Join(all, "\n"))
		}
		if len(released) == 0 {
			t.Errorf("%s: nothing was released", s.rule)
		}
		for _, node := range released {
			if !strings.Contains(recording, `"allowed":[{"node":"`+node+`"`) && !strings.Contains(recording, `},{"node":"`+node+`"`) {
				t.Errorf("%s: %s was released, and no recorded decision allows it", s.rule, node)
			}
		}
	}
}

func TestADecisionOfTheStewardThatIsAlteredIsFound(t *testing.T) {
	recording, _ := recorded(t, scenarios[0]) // zones in turn, and a freeze
	for _, row := range []struct{ name, from, to, says string }{
		{"another node may be disrupted", `"allowed":[{"node":"a1"`, `"allowed":[{"node":"b3"`, `allowed[0].node is "a2", want "b3"`},
		{"another zone has the turn in the memory", `"domain":"a"}`, `"domain":"b"}`, `"a", want "b"`},
		{"a freeze has another cause", `"code":"allows-none"`, `"code":"exhausted"`, `"allows-none", want "exhausted"`},
	} {
		altered := strings.Replace(recording, row.from, row.to, 1)
		if altered == recording {
			t.Errorf("%s: there is no %s in the recording", row.name, row.from)
			continue
		}
		if all := strings.Join(replayed(t, altered), "\n"); !strings.Contains(all, row.says) {
			t.Errorf("%s: %q, want %s", row.name, all, row.says)
		}
	}
}
