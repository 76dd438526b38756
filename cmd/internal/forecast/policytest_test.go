package forecast

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// A test passes exactly if it holds at all times; a counterexample is the first time at which it does not. Tried every ten
// minutes, and just before each counterexample.
func TestPolicyTestsAreExact(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "tests.yaml")
	rapid.Check(t, func(t *rapid.T) {
		one := func(name string, of ...string) string { return rapid.SampledFrom(of).Draw(t, name) }
		budgets := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
			"{nodes: '0', schedule: 0 9 * * mon-fri, duration: 8h}", "{nodes: 20%}", "{nodes: '0', schedule: 30 1 * * *, duration: 26h30m, reasons: [Drifted]}",
			"{nodes: '3', schedule: 0 0 * * sat, duration: 48h}",
		}), 0, 3).Draw(t, "budgets"), ", ")
		write(t, filepath.Join(dir, "pool.yaml"), "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: web}\nspec: {disruption: {budgets: ["+budgets+"]}}\n")
		write(t, file, fmt.Sprintf("policies: [pool.yaml]\nfrom: %s\nto: %s\nzone: Europe/Berlin\nnodes: 40\ntests:\n- {name: x, reason: Drifted, %s%s}\n",
			"2027-03-24", one("to", "2027-03-25", "2027-04-01"), one("must", "atMost: 0", "atMost: 5", "atLeast: 1", "limited: true"),
			one("during", "", ", during: {schedule: 0 12 * * *, duration: 90m}", ", during: {schedule: 15 2 * * sun, duration: 5h}")))
		s, err := readSuite(file, strings.NewReader(""))
		if err != nil {
			t.Fatal(err)
		}
		verdicts, err := s.run()
		if err != nil || len(verdicts) != 1 {
			t.Fatal(verdicts, err)
		}
		v, p := verdicts[0], newPool(s.pools[0], 40)
		wrong := func(at time.Time) bool {
			open, _ := v.window.Until(at)
			allowed, err := budget.AllowedByReason(p.budgets, at, 40, candidate.Drifted)
			return open && (err != nil || v.wrong(allowed.Nodes) != "")
		}
		end := v.to
		if v.why != "" {
			if end = v.at; !wrong(end) {
				t.Errorf("at %s it holds: %s", end, v.text())
			}
		}
		for at := v.from; at.Before(end); at = at.Add(10 * time.Minute) {
			if wrong(at) {
				t.Fatalf("at %s it does not hold: %s", at, v.text())
			}
		}
		if before := end.Add(-1); !before.Before(v.from) && wrong(before) {
			t.Errorf("before %s it does not hold: %s", end, v.text())
		}
	})
}

func write(t *rapid.T, file, text string) {
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestOpenHoursAreCountedByDayAndWeek(t *testing.T) {
	dir := t.TempDir()
	pool := "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: web}\nspec: {disruption: {budgets: [%s]}}\n"
	// The clocks of Berlin go forward on Sunday 2027-03-28 at 02:00, so that its day ends at 22:00 UTC.
	for _, row := range []struct{ budgets, test, want string }{
		{"{nodes: '0', schedule: '0 4 * * *', duration: 20h}", "open: {least: 4h, each: day}", ""},
		{"{nodes: '0', schedule: '0 4 * * *', duration: 20h}", "open: {least: 4h1m, each: day}", "on Wed 24 Mar 2027 00:00 CET nodes may be disrupted for 4h of the day, want 4h1m"},
		{"{nodes: '0', schedule: '0 23 * * *', duration: 23h}", "open: {least: 30m, each: day}", "on Sun 28 Mar 2027 00:00 CET nodes may be disrupted for 0s of the day, want 30m"},
		{"{nodes: '0', schedule: '0 0 * * *', duration: 23h}", "open: {least: 7h, each: week}", ""},
		{"{nodes: '0'}", "open: {least: 1m, each: week}", "on Mon 29 Mar 2027 00:00 CEST nodes may be disrupted for 0s of the week, want 1m"},
	} {
		for name, text := range map[string]string{
			"pool.yaml":  fmt.Sprintf(pool, row.budgets),
			"tests.yaml": "policies: [pool.yaml]\nfrom: 2027-03-24\nto: 2027-04-06\nzone: Europe/Berlin\ntests:\n- {name: x, reason: Drifted, " + row.test + "}\n",
		} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s, err := readSuite(filepath.Join(dir, "tests.yaml"), strings.NewReader(""))
		if err != nil {
			t.Fatal(err)
		}
		verdicts, err := s.run()
		if err != nil {
			t.Fatal(err)
		}
		if got := verdicts[0].text(); (verdicts[0].why != "" || row.want != "") && !strings.HasSuffix(got, row.want) || row.want == "" && verdicts[0].why != "" {
			t.Errorf("%s of %s: %s, want %s", row.test, row.budgets, got, row.want)
		}
	}
}

// Each fault is quoted with its file and line, and says what to write.
func TestFaultsOfPolicyTestsSayWhatToWrite(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "tests.yaml")
	if err := os.WriteFile(filepath.Join(dir, "pool.yaml"), []byte("apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: web}\nspec: {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(dir, "broken.yaml")
	for name, text := range map[string]string{
		broken: "kind: NodePool\napiVersion: karpenter.sh/v1\nmetadata: {name: web}\nspec: {disruption: {budgets: [{nodes: '0', schedule: 0 0 * * sat-sun, duration: 8h}]}}\n",
		file:   "policies: [broken.yaml]\nfrom: 2027-01-01\nto: 2028-01-01\ntests:\n- {atMost: 1}\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := readSuite(file, strings.NewReader("")); err == nil || !strings.Contains(err.Error(), "sat-sun") {
		t.Errorf("a budget that is not valid: %v", err)
	}
	for test, want := range map[string]string{
		"name: x":                                 "it has 0 of atMost, atLeast, limited and open: write one of them",
		"limited: true, atMost: 1, name: x":       "it has 2 of atMost, atLeast, limited and open",
		"atMost: 1, pool: wbe":                    `there is no NodePool "wbe": there are web`,
		"atMost: 1, frm: 2027-01-01":              `tests.yaml: line 5: "frm" is unknown: write from`,
		"atmost: 1":                               `tests.yaml: line 5: "atmost" is unknown: write atMost`,
		"atMost: 1, during: {shedule: 0 9 * * *}": `tests.yaml: line 5: "shedule" is unknown: write schedule`,
		"atMost: 1, qqq: 1":                       `"qqq" is unknown: write one of at, atLeast, atMost, during, from, limited, name, nodes, open, pool, reason, to, zone`,
		"atMost: two":                             "tests.yaml: line 5: cannot unmarshal !!str `two` into int",
		"atMost: 1, to: someday":                  `to "someday" is not a time: write one such as 2026-11-23`,
		"atMost: 1, to: 2020-01-01":               "is not a time of up to ten years",
		"atMost: 1, zone: Berlin":                 `zone "Berlin" is unknown: write one such as Europe/Berlin`,
		"open: {least: x, each: day}":             `open.least "x" is not a duration: write one such as 4h`,
		"open: {least: 4h, each: month}":          `open.each "month" is unknown: write day or week`,
		"atMost: 1, during: {schedule: 0 9 * * *, duration: long}": `during.duration "long" is not a duration: write one such as 8h`,
		"atMost: 1, reason: drift":                                 "drift",
		`atMost: 1, at: "2027-01-02T03:00:00Z", from: 2027-01-01`:  "at is a single time: leave out from",
	} {
		if err := os.WriteFile(file, []byte("policies: [pool.yaml]\nfrom: 2027-01-01\nto: 2028-01-01\ntests:\n- {"+test+"}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readSuite(file, strings.NewReader("")); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), file) {
			t.Errorf("%s: %v, want %s", test, err, want)
		}
	}
}

func TestAPolicyTestWithoutAPartSaysWhichPartIsMissing(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]string{
		"":                                "it is empty: write policies and tests",
		"# nothing":                       "it is empty: write policies and tests",
		"policies: [none.yaml]":           "tests is missing: write what must hold of the NodePools",
		"tests: [{atMost: 1}]":            "policies is missing: name files with NodePools",
		"policies: [none.yaml]\ntest: []": `line 2: "test" is unknown: write tests`,
		"policies: [none.yaml]\nfrom: 2027-01-01\nto: 2028-01-01\ntests: [{atMost: 1}]": "none.yaml has no NodePool",
		"tests: [": "not valid YAML: ",
	} {
		for name, text := range map[string]string{"tests.yaml": text, "none.yaml": "apiVersion: v1\nkind: List\nitems: []\n"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := readSuite(filepath.Join(dir, "tests.yaml"), strings.NewReader("")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// A test without a reason is of those for which budgets are asked. Where nodes expire whatever budgets say, a note says that it is not of that.
func TestACapOfAllReasonsSaysThatNodesStillExpire(t *testing.T) {
	dir := t.TempDir()
	file, pool := filepath.Join(dir, "tests.yaml"), filepath.Join(dir, "pool.yaml") // a whole path is read as it is
	for _, c := range []struct {
		expire, engine, test string
		noted                bool
	}{
		{"", "karpenter", "atMost: 0", true},
		{"", "guard", "limited: true", true},
		{"expireAfter: 2160h", "karpenter", "atMost: 0, pool: web", true},
		{"expireAfter: Never", "karpenter", "atMost: 0", false},
		{"", "karpenter", "atMost: 0, reason: Drifted", false},
		{"", "karpenter", "atLeast: 1", false},
		{"", "disruptkit", "atMost: 0", false},
	} {
		for name, text := range map[string]string{
			pool: "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: web}\nspec: {template: {spec: {" + c.expire + "}}}\n",
			file: fmt.Sprintf("policies: [%q]\nengine: %s\nfrom: 2027-01-01\nto: 2027-02-01\ntests:\n- {name: x, %s}\n", pool, c.engine, c.test),
		} {
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s, err := readSuite(file, strings.NewReader(""))
		if err != nil {
			t.Fatal(err)
		}
		if notes := s.unlimited(); len(notes) > 0 != c.noted {
			t.Errorf("%+v: %q", c, notes)
		}
	}
}
