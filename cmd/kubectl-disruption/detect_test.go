package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAnnotationsOfNodePoolsNameTheEngine(t *testing.T) {
	pool := func(annotations string) string {
		return "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: web, uid: x, annotations: {" + annotations + "}}\nspec: {disruption: {budgets: [{nodes: \"1\"}], consolidateAfter: 30s}}\n"
	}
	const steward, guard, stock = "For Karpenter v1.15 with disruptkit's steward", "For Karpenter v1.15 with disruptkit's guard", "For Karpenter v1.15, without a guard"
	for _, test := range []struct {
		name, input string
		args        []string
		want, note  string
	}{
		{"the steward's", pool(`disruptkit.dev/steward: "true"`), nil, steward, "the annotation disruptkit.dev/steward of NodePool web; --engine overrides that"},
		{"the guard's memory", pool(`disruptkit.dev/memory: "{}"`), nil, guard, "the annotation disruptkit.dev/memory of NodePool web"},
		{"a steward that is switched off", pool(`disruptkit.dev/steward: "false"`), nil, stock, ""},
		{"none", pool(""), nil, stock, ""},
		{"words elsewhere that only look alike", pool(`note: "see disruptkit.dev/steward"`), nil, stock, ""},
		{"but a flag comes first", pool(`disruptkit.dev/steward: "true"`), []string{"--engine", "karpenter"}, stock, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "pool.yaml")
			if err := os.WriteFile(file, []byte(test.input), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, command := range []string{"decide", "plan --try=false", "forecast"} {
				for from, stdin := range map[string]string{file: "", "-": test.input} {
					if command == "forecast" && from == "-" {
						continue // it reads that once
					}
					var stdout, stderr strings.Builder
					args := append(strings.Fields(command), "--now", "2026-11-20T12:00:00Z", "-f", from)
					run(t.Context(), append(args, test.args...), strings.NewReader(stdin), &stdout, &stderr)
					if !strings.HasPrefix(stdout.String(), test.want) {
						t.Errorf("%s -f %s prints %.80s, want %s", command, from, stdout.String(), test.want)
					}
					if test.note == "" && strings.Contains(stderr.String(), "because of the annotation") || !strings.Contains(stderr.String(), test.note) {
						t.Errorf("%s -f %s notes %s, want %s", command, from, stderr.String(), test.note)
					}
				}
			}
		})
	}
}
