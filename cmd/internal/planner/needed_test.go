package planner

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const sharedPDB = "---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {namespace: shop, name: api}\nspec: {selector: {}}\nstatus: {disruptionsAllowed: 1}\n"

func TestThePlanSaysWhatItTakesToBeDoneByATime(t *testing.T) {
	for _, test := range []struct {
		rule, fleet, by, args string
		want                  []string
	}{
		{"it is done by then", fleet(2, `[{nodes: "2"}]`), "23:00", "", []string{"By Fri 20 Nov 23:00: done by then"}},
		{"the least change is enough", fleet(2, `[{nodes: "2"}]`), "22:12", "", []string{
			"By Fri 20 Nov 22:12: not done by then web: budgets[0] of pool web is 3 instead of 2: done on Fri 20 Nov 2026 22:10 UTC instead of Fri 20 Nov 2026 22:15 UTC, 5m earlier"}},
		{"a freeze without an end", fleet(2, `[{nodes: "0"}]`), "23:00", "", []string{"web: budgets[0] of pool web is 1 instead of 0: done on Fri 20 Nov 2026 22:30 UTC instead of never"}},
		{"launches and drains take longer", fleet(2, `[{nodes: "2"}]`), "22:02", "", []string{"web: impossible: launches and drains alone take 5m without any budget it is done by Fri 20 Nov 22:05"}},
		{"a PDB takes longer", fleet(2, `[{nodes: "2"}]`) + sharedPDB, "22:20", "", []string{"web: impossible: PDB shop/api alone takes 30m without any budget it is done by Fri 20 Nov 22:30"}},
		{"in Karpenter as well, where evictions take turns", fleet(2, `[{nodes: "2"}]`) + sharedPDB, "22:20", "--engine karpenter --eviction 10m",
			[]string{"web: impossible: PDB shop/api alone takes 55m without any budget it is done by Fri 20 Nov 22:55"}},
		{"some runs are done by then", fleet(2, `[{nodes: "2"}]`), "22:40", "--drain 5m,20m", []string{
			"By Fri 20 Nov 22:40: done by then in ", " of 10 runs web: budgets[0] of pool web is 5 instead of 2: done by then in 9 of 10 runs"}},
		{"another pool is not asked about", fleet(2, `[{nodes: "2"}]`), "22:12", "--pool web", []string{"web: budgets[0]"}},
	} {
		t.Run(test.rule, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "fleet.yaml")
			write(t, file, test.fleet)
			args := append(strings.Fields(test.args), "-f", file, "--now", "2026-11-20T22:00:00Z", "--by", "2026-11-20T"+test.by+":00Z", "--try=false")
			got := strings.Join(strings.Fields(ran("", args...).stdout), " ")
			for _, want := range test.want {
				if !strings.Contains(got, want) {
					t.Errorf("it does not say %q:\n%s", want, got)
				}
			}
			var out jsonReport
			if err := json.Unmarshal([]byte(ran("", append(args, "-o", "json")...).stdout), &out); err != nil || out.Needed == nil {
				t.Fatalf("%v: %+v", err, out.Needed)
			}
			for _, pool := range out.Needed.Pools {
				for _, c := range pool.Changes {
					if !strings.Contains(got, c.Change) {
						t.Errorf("%q is only in the JSON", c.Change)
					}
					if enough := c.Finish != nil && !c.Finish.After(*out.Needed.By); !enough {
						t.Errorf("%q is not enough: %+v", c.Change, c)
					}
				}
				if len(pool.Changes) == 0 && (len(pool.Alone) == 0 || !strings.Contains(got, "impossible: ")) {
					t.Errorf("why it is impossible is not said: %+v", pool)
				}
			}
		})
	}
}

func TestATimeThatCannotBeMeant(t *testing.T) {
	for args, want := range map[string]string{
		"--by 2027-11-20":                      "--by: the plan looks ahead until 2027-02-18T10:30:00Z: write an earlier time than 2027-11-20T00:00:00Z, or a longer --horizon",
		"--by tomorrow":                        `--by "tomorrow" is not a time: write one such as`,
		"--by 2026-11-20T10:30:00Z":            "--by: the plan begins at 2026-11-20T10:30:00Z: write a later time than 2026-11-20T10:30:00Z",
		"--by 2027-01-01 --what-if x":          "leave out --what-if, --set and --outage",
		"--by 2027-01-01 --set x.budgets=null": "leave out --what-if, --set and --outage",
		"--by 2027-01-01 --outage @daily/2h":   "leave out --what-if, --set and --outage",
	} {
		if got := ran("", strings.Fields(args)...); got.status != hopeless || !strings.Contains(got.stderr, want) {
			t.Errorf("%s: status %d: %s", args, got.status, got.stderr)
		}
	}
	if got := ran("", "-o", "json").stdout; !strings.Contains(got, fmt.Sprintf("%q: null", "needed")) {
		t.Errorf("nobody asks: %.300s", got)
	}
}

// What a change is said to do is about its pool, whatever other pools are late: its last node is done in time.
func TestAChangeThatIsNeededEndsItsPoolInTime(t *testing.T) {
	changes := 0
	for _, by := range []string{"11:30", "12:00", "12:40", "16:30"} {
		var answer struct {
			Needed struct {
				By    time.Time
				Pools []struct {
					Pool    string
					Changes []struct{ Finish time.Time }
				}
			}
		}
		got := ran("", "-f", rfcs, "--now", "2026-11-20T10:30:00Z", "--by", "2026-11-20T"+by+":00Z", "--try=false", "-o", "json")
		if err := json.Unmarshal([]byte(got.stdout), &answer); err != nil {
			t.Fatal(err)
		}
		for _, p := range answer.Needed.Pools {
			for _, c := range p.Changes {
				if changes++; c.Finish.After(answer.Needed.By) || c.Finish.IsZero() {
					t.Errorf("by %s: a change that is needed for %s ends it at %s", by, p.Pool, c.Finish)
				}
			}
		}
	}
	if changes < 4 {
		t.Errorf("only %d changes are needed", changes)
	}
}
