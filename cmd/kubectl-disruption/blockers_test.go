package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Blockers names a node exactly if it has a reason to go or goes, and a pod on it cannot be evicted now, under the name of what
// holds that pod. Whatever nodes are counted by, the same nodes are held. With a grace period, their pods only hold up the drain.
func TestBlockersNamesWhatHoldsEachNode(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cluster.json")
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t, "karpenter")
		if err := os.WriteFile(file, []byte(w.manifests()), 0o600); err != nil {
			t.Fatal(err)
		}
		want, lists, heldUp := map[string][]string{}, map[string]map[string]bool{}, map[string]bool{}
		for _, m := range w.nodes {
			for _, p := range m.pods {
				over := !m.deadline.IsZero() && !m.deadline.After(begins) // its pods are killed
				if over || !m.drifted && !m.disrupted || !p.terminates.IsZero() {
					continue
				}
				if p.protected.After(begins) {
					want[m.name] = append(want[m.name], "do-not-disrupt")
				}
				its := slices.DeleteFunc(slices.Clone(w.pdbs), func(b *pdb) bool { return b.app != p.app })
				if len(its) > 1 || len(its) == 1 && its[0].allowed == 0 {
					want[m.name] = append(want[m.name], "PDB")
				}
			}
		}
		for _, m := range w.nodes {
			if m.grace > 0 && len(want[m.name]) > 0 {
				heldUp[m.name] = true
			}
		}
		for _, by := range []string{"blocker", "owner", "namespace", "label=app"} {
			var stdout, stderr strings.Builder
			run(t.Context(), []string{"blockers", "--now", saturday, "-f", file, "-o", "json", "--by", by}, strings.NewReader(""), &stdout, &stderr)
			var got struct {
				Held, HeldUp int
				Holders      []struct {
					What          string
					Nodes, HeldUp []string
				}
			}
			if err := json.Unmarshal([]byte(stdout.String()), &got); err != nil {
				t.Fatalf("%s %s", stdout.String(), stderr.String())
			}
			lists[by] = map[string]bool{}
			for _, h := range got.Holders {
				for _, n := range h.Nodes {
					lists[by][n] = true
					if slices.Contains(h.HeldUp, n) != heldUp[n] {
						t.Errorf("%s holds up %s, want %v", h.What, h.HeldUp, heldUp)
					}
					if by == "blocker" && !slices.ContainsFunc(want[n], func(kind string) bool { return strings.HasPrefix(h.What, kind) }) {
						t.Errorf("%s holds %s, want %q", h.What, n, want[n])
					}
				}
			}
			if len(lists[by]) != len(want) || got.Held != len(want)-len(heldUp) || got.HeldUp != len(heldUp) {
				t.Errorf("by %s: %v are held, %d and %d, want %v: %v", by, lists[by], got.Held, got.HeldUp, want, w.nodes)
			}
		}
	})
}
