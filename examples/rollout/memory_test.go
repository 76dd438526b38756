package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
)

// What cannot be read could be the turn of a zone: nothing starts.
func TestNothingStartsWithoutTheMemory(t *testing.T) {
	dir := t.TempDir()
	budgets, err := budget.Compile([]budget.Budget{{Nodes: "2", TopologyKey: zone, Sequential: true}})
	if err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(dir, "broken.json")
	if err := os.WriteFile(broken, []byte(`{"default": {`), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string]string{"half a memory": broken, "a place that is not there": filepath.Join(dir, "none", "memory.json")} {
		c := newCluster(time.Date(2026, 11, 23, 22, 0, 0, 0, time.UTC))
		if err := run(c, disruptkit.Pool{Name: "default", Budgets: budgets}, memory(file)); err == nil {
			t.Errorf("%s is no error", name)
		}
		for _, n := range c.nodes {
			if n.InFlight() {
				t.Errorf("%s: %s has started", name, n.Name)
			}
		}
	}
}
