package planner

import (
	"strings"
	"testing"
)

// Karpenter asks nobody before it expires a node, with or without the guard. An autoscaler of one's own asks budgets.
func TestWhoExpiresNodes(t *testing.T) {
	const asked, expire = "expireAfter is not planned", "EXPIRES NODE POOL"
	for engine, want := range map[string][2]string{"karpenter": {expire, asked}, "guard": {expire, asked}, "disruptkit": {asked, expire}} {
		got := strings.Join(strings.Fields(ran("", "--engine", engine, "--reason", "Expired,Drifted").stdout), " ")
		if !strings.Contains(got, want[0]) || strings.Contains(got, want[1]) {
			t.Errorf("%s: %.3000s", engine, got)
		}
	}
}

func TestNodesThatExpireAreReported(t *testing.T) {
	for _, test := range []struct{ rule, args, want string }{
		{"how many go only because they expire", "", "1 only because it expires, 1 never."},
		{"when each is gone", "", "general budgets[1] Fri 20 Nov 15:23"},
		{"what holds up a drain for good", "", "never: pod data/postgres-1 has PDB"},
		{"how many expire where none is to go", "--reason Expired --pool batch",
			"nodes expire by"},
		{"for programs", "-o json", `"expires": "2026-12-02T05:22:22Z"`},
	} {
		t.Run(test.rule, func(t *testing.T) {
			got := ran("", append([]string{"--engine", "karpenter"}, strings.Fields(test.args)...)...)
			if !strings.Contains(strings.Join(strings.Fields(got.stdout), " "), test.want) {
				t.Errorf("got %.4000s", got.stdout)
			}
		})
	}
}
