package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

var (
	tableHeader = regexp.MustCompile(`^([A-Z][A-Z]+[ ,]*)+$|^POOL, ZONE `)
	noRow       = regexp.MustCompile(`^    |^and \d|differs by engine: |^  disruptkit.dev/memory=|^  kubectl `) // prose and commands between rows
)

// rowsOf returns the lines of a text's tables, and of its figures.
func rowsOf(text string) (rows []string) {
	in := false
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case line == "":
			in = false
		case tableHeader.MatchString(line):
			in = true
		}
		if in && !noRow.MatchString(line) || strings.ContainsAny(line, "█▁▂▃▄▅▆▇×·░╵▒") && !strings.Contains(line, "nodes in flight") {
			rows = append(rows, line)
		}
	}
	return rows
}

func TestTablesFit80Columns(t *testing.T) {
	t.Setenv("COLUMNS", "80")
	bundled, err := os.ReadFile(filepath.FromSlash("../internal/bundled/cluster.json"))
	if err != nil {
		t.Fatal(err)
	}
	long := strings.NewReplacer(
		`"general"`, `"general-purpose-spot-and-on-demand-arm64-production"`, `.us-west-2.compute.internal"`, `.a-subnet-of-a-large-company.us-west-2.compute.internal.example.com"`,
		`"us-west-2a"`, `"europe-southwest1-a-of-a-long-name"`, "0 9 * * mon-fri", "0 9 1-7 1,2,3,4,5,6,7,8,9 mon,tue,wed,thu,fri",
	).Replace(string(bundled))
	for name, text := range map[string]string{"bundled": string(bundled), "long names": long} {
		file := filepath.Join(t.TempDir(), "cluster.json")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, engine := range []string{"karpenter", "guard", "disruptkit"} {
			for _, command := range []string{"decide", "decide -v", "why ip-10-0-45-14", "plan -v", "plan --set general.budgets[0].nodes=20%", "forecast", "lint", "status", "blockers"} {
				args := strings.Fields(command)
				if name == "long names" && len(args) == 3 && args[0] == "plan" {
					args[2] = strings.Replace(args[2], "general", "general-purpose-spot-and-on-demand-arm64-production", 1)
				}
				got := ran(t, append(args, "-f", file, "--now", "2026-11-20T10:30:00Z", "--engine", engine)...)
				rows := rowsOf(got.stdout)
				tables := args[0] != "why" && args[0] != "lint" && !strings.Contains(got.stdout, ", as before.")
				if got.status == 2 || len(rows) < 2 && tables {
					t.Errorf("%s, %s, %s: status %d, %d rows\n%s", name, engine, command, got.status, len(rows), got.stderr)
				}
				for _, row := range rows {
					if n := utf8.RuneCountInString(row); n > 80 {
						t.Errorf("%s, %s, %s: %d columns: %s", name, engine, command, n, row)
					}
				}
			}
		}
	}
}
