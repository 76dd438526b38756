package decide

import (
	"fmt"
	"strings"
	"testing"
)

func TestOnePoolIsShown(t *testing.T) {
	for _, test := range []struct {
		name        string
		args        []string
		with, never string
	}{
		{"a pool", []string{"--pool", "batch"}, "ip-10-0-36-243", "general"},
		{"the other", []string{"--pool", "general"}, "ip-10-0-108-90", "batch"},
		{"a pool as JSON", []string{"--pool", "batch", "-o", "json"}, "ip-10-0-36-243", `"general"`},
		{"reasons in any case", []string{"--reason", "empty,DRIFTED/AMIDrift"}, "Drifted/AMIDrift: ", "Underutilized: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := decided("", test.args...)
			if got.status == hopeless || !strings.Contains(got.stdout, test.with) || strings.Contains(got.stdout, test.never) {
				t.Errorf("status %d, %s\n%s", got.status, got.stderr, got.stdout)
			}
		})
	}
}

// The windows of web open at 9, those of data at 6 if it drifted, those of batch never change. A team is web and idle.
func TestThePartShownChangesWithItsOwnWindows(t *testing.T) {
	cluster := noPods + noPDBs
	for _, pool := range []struct{ name, team, budget string }{
		{"web", "shop", `{"nodes":"0","schedule":"0 9 * * *","duration":"15h"},{"nodes":"20%"}`},
		{"data", "", `{"nodes":"0","schedule":"0 6 * * *","duration":"1h","reasons":["Drifted"]},{"nodes":"20%"}`},
		{"batch", "", `{"nodes":"20%"}`},
		{"idle", "shop", `{"nodes":"20%"}`},
	} {
		cluster += fmt.Sprintf(`{"apiVersion":"karpenter.sh/v1","kind":"NodePool","metadata":{"name":%q,"labels":{"team":%q}},`+
			`"spec":{"disruption":{"budgets":[%s]}}}`, pool.name, pool.team, pool.budget)
		for i, sign := range []string{"*", ""} {
			name := fmt.Sprint(pool.name, "-", i)
			cluster += strings.ReplaceAll(zonalClaim(name, sign, i)+zonalNode(name, sign),
				`"karpenter.sh/nodepool":"p"`, fmt.Sprintf(`"karpenter.sh/nodepool":%q`, pool.name))
		}
	}
	const team = `{"apiVersion":"disruptkit.dev/v1alpha1","kind":"DisruptionPolicy","metadata":{"name":"shop"},` +
		`"spec":{"nodePoolSelector":{"matchLabels":{"team":"shop"}},"budgets":[{"nodes":"1"}]}}`
	for _, test := range []struct{ engine, more, part, reason, next string }{
		{"karpenter", "", "", "Drifted", "06:00"},
		{"karpenter", "", "", "Empty", "09:00"},
		{"karpenter", "", "--pool=web", "Drifted", "09:00"},
		{"karpenter", "", "--pool=data", "Drifted", "06:00"},
		{"karpenter", "", "--pool=data", "Empty", ""},
		{"karpenter", "", "--pool=batch", "Drifted", ""},
		{"disruptkit", "", "--pool=batch", "Drifted", ""},
		{"disruptkit", "", "--pool=idle", "Drifted", ""},
		{"disruptkit", team, "--pool=idle", "Drifted", "09:00"},
		{"disruptkit", team, "--pool=batch", "Drifted", ""},
	} {
		args := []string{"-f", "-", "--engine", test.engine, "--now", "2026-11-20T01:00:00Z", "--reason", test.reason}
		if test.part != "" {
			args = append(args, test.part)
		}
		text := decided(cluster+test.more, args...)
		json := decided(cluster+test.more, append(args, "-o", "json")...)
		title, change := test.reason+": ", `"nextChange": null`
		if test.next != "" {
			title, change = "; next scheduled change: Fri "+test.next, `"nextChange": "2026-11-20T`+test.next
		}
		if test.next == "" && strings.Contains(text.stdout, "next scheduled change: ") || !strings.Contains(text.stdout, title) ||
			!strings.Contains(json.stdout, change) {
			t.Errorf("%v: not %q:\n%s%s\n%s", test, test.next, text.stdout, text.stderr, json.stdout)
		}
	}
	unit := strings.NewReplacer(`"labels":{"team":`, `"annotations":{"disruptkit.dev/unit-label":"`+zoneKey+`"},"labels":{"team":`,
		zoneKey+`":"w"`, zoneKey+`":"b"`, "20%", "100%").Replace(cluster) // nodes of batch and web are one
	got := decided(unit, "-f", "-", "--now", "2026-11-20T10:00:00Z", "--pool", "batch", "--reason", "Drifted")
	if !strings.Contains(got.stdout, "next scheduled change: Sat 00:00") {
		t.Errorf("no change when the window of web ends, which blocks the unit:\n%s%s", got.stdout, got.stderr)
	}
}

func TestALargePartIsOneScreenUnlessAllIsAskedFor(t *testing.T) {
	for _, test := range []struct {
		nodes int
		more  string
		full  bool
	}{
		{5, "--pool p", true}, {30, "--pool p", true}, {61, "--pool p", false}, {61, "--reason Drifted", false}, {61, "--pool p -v", true},
	} {
		cluster := strings.Replace(zonal(`{"nodes":"1"}`, "", ""), noPods+noPDBs, "", 1)
		for i := range test.nodes {
			name := fmt.Sprintf("node-%02d", i)
			cluster += zonalClaim(name, "*", i%60) + zonalNode(name, "*")
		}
		got := decided(cluster+noPods+noPDBs, append([]string{"-f", "-", "--reason", "Drifted"}, strings.Fields(test.more)...)...).stdout
		if last := fmt.Sprintf("node-%02d", test.nodes-1); strings.Contains(got, "\n"+last) != test.full {
			t.Errorf("%d nodes, %s:\n%s", test.nodes, test.more, got)
		}
		if !test.full && (strings.Count(got, "\n") > 24 || !strings.Contains(got, "-v shows all")) {
			t.Errorf("%d nodes, %s is more than a screen:\n%s", test.nodes, test.more, got)
		}
	}
}
