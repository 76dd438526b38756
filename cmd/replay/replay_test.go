package replay_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/replay"
)

var noon = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)

// fleet has nodes of a pool that have drifted, one of which may be disrupted.
func fleet(names ...string) disruptkit.Input {
	in := disruptkit.Input{Now: noon, Pools: []disruptkit.Pool{{Name: "web"}}}
	for _, name := range names {
		in.Nodes = append(in.Nodes, candidate.Node{
			Name: name, Pool: "web", Phase: candidate.Running,
			Conditions: []candidate.Condition{{Reason: candidate.Drifted, Since: noon.Add(-time.Hour)}},
		})
	}
	return in
}

// recorded returns the recording of two decisions.
func recorded(t *testing.T) string {
	t.Helper()
	var to bytes.Buffer
	r := replay.NewRecorder(&to, func(err error) { t.Error(err) })
	for _, in := range []disruptkit.Input{fleet("a", "b"), fleet("c", "d", "e")} {
		if d := r.Decide(in, candidate.Drifted); len(d.Allowed) != 1 {
			t.Fatalf("%+v", d)
		}
	}
	return to.String()
}

func divergences(t *testing.T, recording string) (all []string) {
	t.Helper()
	n, err := replay.Check(strings.NewReader(recording), func(d replay.Divergence) { all = append(all, d.String()) })
	if err != nil || n != 2 {
		t.Fatalf("%d cases, %v", n, err)
	}
	return all
}

func TestARecordingIsReplayedWithoutDivergence(t *testing.T) {
	recording := recorded(t)
	if all := divergences(t, recording); len(all) > 0 {
		t.Error(all)
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write([]byte(recording)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if all := divergences(t, packed.String()); len(all) > 0 {
		t.Error("compressed: ", all)
	}
}

// A caller chose another node than Decide does, and then none.
func TestTheDecisionOfASessionIsReplayed(t *testing.T) {
	var to bytes.Buffer
	r := replay.NewRecorder(&to, func(err error) { t.Error(err) })
	for _, chosen := range []string{"b", ""} {
		in := fleet("a", "b")
		s := disruptkit.Open(in, candidate.Drifted)
		if got := s.Disrupt(candidate.Candidate{Node: chosen, Pool: "web", Reason: candidate.Drifted}); got != (chosen != "") {
			t.Fatalf("disrupted %q: %t", chosen, got)
		}
		r.Record(in, s.Close())
	}
	if all := divergences(t, to.String()); len(all) > 0 {
		t.Error(all)
	}
	altered := strings.Replace(to.String(), `"allowed":[{"node":"b"`, `"allowed":[{"node":"a"`, 1)
	if all := strings.Join(divergences(t, altered), "\n"); !strings.Contains(all, `blocked[0].node is "b", want "a"`) {
		t.Errorf("altered: %s", all)
	}
}

func TestWhateverIsAlteredByHandIsFound(t *testing.T) {
	for _, row := range []struct{ name, from, to, says string }{
		{"a node that may be disrupted", `"allowed":[{"node":"a"`, `"allowed":[{"node":"b"`, `decision 1: allowed[0].node is "a", want "b"`},
		{"a node that may not go is dropped", `"blocked":[{"node":"b","pool":"web"`, `"blocked":[{"node":"b","pool":"db"`, `decision 1: blocked[0].pool is "web", want "db"`},
		{"a code", `"code":"exhausted"`, `"code":"allows-none"`, `decision 1: blocked[0].blockers[0].code is "exhausted", want "allows-none"`},
		{"a message", `1 of 2 nodes`, `2 of 2 nodes`, `decision 1: blocked[0].blockers[0].message`},
		{"a number", `"remaining":1`, `"remaining":2`, `decision 1: pools[0].remaining is 1, want 2`},
		{"no limit for a number", `"remaining":1`, `"remaining":null`, `decision 1: pools[0].remaining is 1, want absent`},
		{"a time", `"since":"2026-11-20T11:00:00Z","until":null`, `"since":"2026-11-20T11:00:01Z","until":null`, `allowed[0].since`},
		{"a member that was not there", `"warnings":[]`, `"warnings":[],"mood":"good"`, `mood is absent, want "good"`},
		{"the input", `"phase":"Running"`, `"phase":"NotReady"`, `decision 1: `},
		{"the input of the other one", `"name":"e"`, `"name":"f"`, `decision 2: `},
	} {
		recording := recorded(t)
		altered := strings.Replace(recording, row.from, row.to, 1)
		if altered == recording {
			t.Errorf("%s: there is no %s in %s", row.name, row.from, recording)
		}
		if all := divergences(t, altered); !strings.Contains(strings.Join(all, "\n"), row.says) {
			t.Errorf("%s: %q, want %s", row.name, all, row.says)
		}
	}
}

func TestWhatMeansTheSameIsNoDivergence(t *testing.T) {
	for _, row := range []struct{ from, to string }{
		{`"until":null`, `"until":false`}, {`"warnings":[]`, `"warnings":null`}, {`"memory":{},`, ``}, {`"forGood":false,`, ``},
		{`"since":"2026-11-20T11:00:00Z"`, `"since":"2026-11-20T12:00:00+01:00"`},
	} {
		recording := recorded(t)
		altered := strings.Replace(recording, row.from, row.to, 1)
		if altered == recording {
			t.Errorf("there is no %s in %s", row.from, recording)
		}
		if all := divergences(t, altered); len(all) > 0 {
			t.Errorf("%s for %s: %q", row.to, row.from, all)
		}
	}
}

func TestWhatIsNoRecordingIsAnError(t *testing.T) {
	one, _, _ := strings.Cut(recorded(t), "\n")
	for _, row := range []struct{ name, text, says string }{
		{"nothing", "\n\n", "there is no case in it"},
		{"no JSON", "\nyes\n", "line 2: it is no case"},
		{"half a line", one[:len(one)/2], "line 1: it is no case"},
		{"two on a line", one + one, "line 1: a case is followed by something"},
		{"no decision", `{"version":"2","name":"a","reason":"","input":{}}`, "line 1: it has no decision to compare with"},
		{"half a file", "\x1f\x8b\x08", "EOF"},
	} {
		_, err := replay.Check(strings.NewReader(row.text), func(d replay.Divergence) { t.Error(row.name, d) })
		if err == nil || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: %v, want %q", row.name, err, row.says)
		}
	}
}

// A program that died left half a line; the one after it began anew, and was stopped by hand.
func TestWhatFollowsALineThatCannotBeReadIsChecked(t *testing.T) {
	recording := recorded(t)
	lines := strings.SplitAfter(recording, "\n")
	altered := strings.Replace(recording, `"allowed":[{`, `"allowed":[{"overdue":true,`, 1)
	var said []string
	n, err := replay.Check(strings.NewReader(recording+lines[0][:40]+"\n"+altered), func(d replay.Divergence) { said = append(said, d.String()) })
	want := fmt.Sprintf("line %d: it is no case: unexpected EOF", len(lines))
	if all := 2 * (len(lines) - 1); n != all || err == nil || err.Error() != want || len(said) != 1 {
		t.Errorf("%d of %d cases, error %v, want %s: %q", n, all, err, want, said)
	}
}

// What was read of a line when reading failed is no line.
func TestAReadThatFailsIsReportedAsItIs(t *testing.T) {
	recording := recorded(t)
	lines := strings.SplitAfter(recording, "\n")
	broken := errors.New("the disk is broken")
	_, err := replay.Check(io.MultiReader(strings.NewReader(lines[0]+lines[1][:40]), iotest.ErrReader(broken)), func(d replay.Divergence) { t.Error(d) })
	if !errors.Is(err, broken) || err.Error() != "line 2: the disk is broken" {
		t.Error(err)
	}
}

func TestAFileThatIsNoRecordingIsNotReadToItsEnd(t *testing.T) {
	_, err := replay.Check(strings.NewReader(strings.Repeat("no\n", 1000)), func(d replay.Divergence) { t.Error(d) })
	if err == nil || !strings.HasPrefix(err.Error(), "line 1: ") || !strings.HasSuffix(err.Error(), "\nthe rest was not read") || strings.Count(err.Error(), "\n") != 10 {
		t.Error(err)
	}
}

type failing struct{ writes int }

func (f *failing) Write([]byte) (int, error) {
	f.writes++
	return 0, errors.New("the disk is full")
}

func TestARecorderThatCannotWriteDecidesAsEver(t *testing.T) {
	var to failing
	var told []error
	r := replay.NewRecorder(&to, func(err error) { told = append(told, err) })
	for range 3 {
		if d := r.Decide(fleet("a", "b"), candidate.Drifted); len(d.Allowed) != 1 || d.Allowed[0].Node != "a" {
			t.Errorf("%+v", d)
		}
	}
	if len(told) != 1 || to.writes != 1 || !strings.Contains(told[0].Error(), "a decision is not recorded: the disk is full") {
		t.Errorf("%d writes, told %v", to.writes, told)
	}
	var none *replay.Recorder
	if d := none.Decide(fleet("a"), candidate.Drifted); len(d.Allowed) != 1 {
		t.Errorf("%+v", d)
	}
}

// What JSON cannot express is reported, and the next decision is recorded.
func TestADecisionThatJSONCannotExpressIsReported(t *testing.T) {
	var to bytes.Buffer
	var told []error
	r := replay.NewRecorder(&to, func(err error) { told = append(told, err) })
	r.Decide(disruptkit.Input{Now: time.Date(12000, 1, 1, 0, 0, 0, 0, time.UTC)}, candidate.Drifted)
	r.Decide(fleet("a"), candidate.Drifted)
	if len(told) != 1 || strings.Count(to.String(), "\n") != 1 {
		t.Errorf("told %v, recorded %s", told, to.String())
	}
}

func TestARecorderMayBeSharedByGoroutines(t *testing.T) {
	var to bytes.Buffer
	r := replay.NewRecorder(&to, func(err error) { t.Error(err) })
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { r.Decide(fleet("a", "b"), candidate.Drifted) })
	}
	all.Wait()
	if n, err := replay.Check(&to, func(d replay.Divergence) { t.Error(d) }); n != 8 || err != nil {
		t.Error(n, err)
	}
}

func TestTheJudgeNamesEachDivergence(t *testing.T) {
	cases := recorded(t)
	answer := func(line string) string {
		c, err := replay.Read([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := replay.Print(&out, c.Answer()); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	first, second, _ := strings.Cut(cases, "\n")
	one, two := answer(first), answer(strings.TrimSpace(second))
	for _, row := range []struct {
		name, answers string
		good          int
		says          []string
	}{
		{"as it should be", one + two, 2, nil},
		{"in another order", two + one, 2, nil},
		{"another message", one + strings.Replace(two, "1 of 3 nodes", "eins von 3", 1), 2, nil},
		{"another node", one + strings.ReplaceAll(two, `"node":"c"`, `"node":"e"`), 1, []string{`decision 2: allowed[0].node is "e", want "c"`}},
		{"one is missing", two, 1, []string{"decision 1: the answer is missing, want a decision"}},
		{"one is an error", one + `{"name": "decision 2", "error": "no paces here"}`, 1, []string{`decision 2: the answer is the error "no paces here", want a decision`}},
		{"one comes twice", one + two + two, 2, []string{"decision 2: the answer is there twice, want one"}},
		{"one to no case", one + two + `{"name": "decision 3", "decision": {}}`, 2, []string{"decision 3: the answer is there, want none, since there is no such case"}},
	} {
		var found []string
		good, all, err := replay.Judge(strings.NewReader(cases), strings.NewReader(row.answers), func(d replay.Divergence) { found = append(found, d.String()) })
		if good != row.good || all != 2 || err != nil || strings.Join(found, "\n") != strings.Join(row.says, "\n") {
			t.Errorf("%s: %d of %d, %q, %v; want %d of 2, %q", row.name, good, all, found, err, row.good, row.says)
		}
	}
}
