package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The package limit has names with a user and names without one. Its users are another package, and the program in cmd. What an internal
// package uses has no user.
var files = map[string]string{
	"go.work":    "go 1.26.0\n\nuse (\n\t.\n\t./cmd\n)\n",
	"go.mod":     "module github.com/disruptkit/disruptkit\n\ngo 1.26.0\n",
	"cmd/go.mod": "module github.com/disruptkit/disruptkit/cmd\n\ngo 1.26.0\n",
	"cmd/main.go": `package main

import "github.com/disruptkit/disruptkit/limit"

func main() {
	l := limit.Limit{Nodes: 1}
	l.Allow()
	println(limit.First, limit.Outer{}.Inner.Deep)
}
`,
	"internal/gate/gate.go": `package gate

import "github.com/disruptkit/disruptkit/limit"

func Room() int { return limit.Limit{}.Room() + limit.Limit{}.Spare }
`,
	"limit/limit.go": `package limit

const (
	First  = 1
	Second = 2 // declared with First
)

const Alone = 3

type Limit struct {
	Nodes   int
	Spare   int
	Written int ` + "`json:\"written\"`" + `
	hidden  int
}

func (Limit) Allow()         {}
func (Limit) Room() int      { return 1 }
func (Limit) String() string { return "" }

type Outer struct{ Inner Inside }

type Inside struct{ Deep int }

// MustParse is Exported for people who are not here yet.
func MustParse() {}
`,
	"limit/limit_test.go": `package limit_test

import "github.com/disruptkit/disruptkit/limit"

var _ = limit.Alone
`,
}

func TestANameHasAUserIfAnotherPackageUsesItThatIsNotInternal(t *testing.T) {
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	names, err := declared(root)
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, module := range []string{".", "cmd"} {
		if err := findUses(root, module, used); err != nil {
			t.Fatal(err)
		}
	}
	var unused, excepted []string
	for _, n := range names {
		switch {
		case n.used(used):
		case n.excepted:
			excepted = append(excepted, n.key)
		default:
			unused = append(unused, n.key)
		}
	}
	if want := []string{"limit.Alone", "limit.Limit.Room", "limit.Limit.Spare"}; !slices.Equal(unused, want) {
		t.Errorf("without a user: %q, not %q", unused, want)
	}
	if want := []string{"limit.MustParse"}; !slices.Equal(excepted, want) {
		t.Errorf("with a reason: %q, not %q", excepted, want)
	}
}
