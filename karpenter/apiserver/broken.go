package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"
)

// A broken steward has another line of source, and a story that has to fail with it: else the stories would not see what they are to see.
type broken struct {
	name  string
	file  string // of the package steward
	edits [][2]string
	story string
}

var brokenStewards = []broken{
	{
		name: "releases nodes of two zones", file: "choose.go", story: "TestServerStewardRollsZoneByZone",
		edits: [][2]string{{
			"\tc.in, c.next = c.in.Apply(d), sooner(c.next, d.NextChange)\n",
			"\tzones := map[string]bool{}\n" +
				"\tfor i := range c.in.Nodes {\n" +
				"\t\tfor _, a := range d.Allowed {\n" +
				"\t\t\tif n := &c.in.Nodes[i]; n.Name == a.Node {\n" +
				"\t\t\t\tzones[n.Labels[\"topology.kubernetes.io/zone\"]] = true\n" +
				"\t\t\t}\n" +
				"\t\t}\n" +
				"\t}\n" +
				"\tif len(zones) > 0 {\n" +
				"\t\tothers := without(c.in, func(n *candidate.Node) bool { return zones[n.Labels[\"topology.kubernetes.io/zone\"]] })\n" +
				"\t\tothers.Memory = nil\n" +
				"\t\td.Allowed = append(d.Allowed, disruptkit.Decide(others, d.Reason).Allowed...)\n" +
				"\t}\n" +
				"\tc.in, c.next = c.in.Apply(d), sooner(c.next, d.NextChange)\n",
		}},
	},
	{
		name: "releases without storing", file: "commit.go", story: "TestServerStewardKeepsAPace",
		edits: [][2]string{{`delete(annotations, name); text != "" {`, `delete(annotations, name); text != "" && false {`}},
	},
	{
		name: "holds in two patches", file: "steward.go", story: "TestServerStewardWithoutMutatingPolicies",
		edits: [][2]string{{
			"\tto = &corev1.Node{}\n\tto.Name = n.Name\n",
			"\tto = &corev1.Node{}\n\tto.Name = n.Name\n" +
				"\tif w.Kind == TakeBack {\n" +
				"\t\tfirst := []byte(`{\"metadata\":{\"annotations\":{\"disruptkit.dev/released-until\":null}}}`)\n" +
				"\t\tif err := s.Client.Patch(ctx, to, client.RawPatch(types.MergePatchType, first)); err != nil {\n" +
				"\t\t\treturn nil, false, err\n" +
				"\t\t}\n" +
				"\t\ttime.Sleep(15 * time.Second)\n" +
				"\t}\n",
		}},
	},
	{
		name: "takes nothing back", file: "plan.go", story: "TestServerStewardTakesBackWhatIsNotUsed",
		edits: [][2]string{{"\t\tcase live:\n", "\t\tcase live:\n\t\t\tcontinue\n"}},
	},
	{
		name: "sees one of two reasons", file: "choose.go", story: "TestServerStewardTwoReasons",
		edits: [][2]string{{"engine.Several(n) {", "false && engine.Several(n) {"}},
	},
}

// compile compiles the stories with a steward that is broken.
func (b broken) compile(ctx context.Context, t *storyteller) (*storyteller, error) {
	dir := filepath.Join(t.logs, strings.ReplaceAll(b.name, " ", "-"))
	source := filepath.Join(t.dir, "steward", b.file)
	text, err := os.ReadFile(source)
	if err != nil {
		return nil, err
	}
	edited, err := b.edit(string(text))
	if err != nil {
		return nil, err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{source: filepath.Join(dir, b.file)}})
	if err != nil {
		return nil, err
	}
	if err := writeFiles(dir, map[string]string{b.file: edited, "overlay.json": string(overlay)}); err != nil {
		return nil, err
	}
	it := *t
	it.quiet, it.logs, it.binary = true, dir, filepath.Join(dir, "stories.test")
	return &it, it.compile(ctx, "-overlay", filepath.Join(dir, "overlay.json"))
}

// edit returns the source with all edits. Each has to fit one place.
func (b broken) edit(text string) (string, error) {
	for _, e := range b.edits {
		if n := strings.Count(text, e[0]); n != 1 {
			return "", fmt.Errorf("the steward that %s: %s has %q %d times, and not once: write what it is to break now", b.name, b.file, e[0], n)
		}
		text = strings.Replace(text, e[0], e[1], 1)
	}
	return text, nil
}

// tell tells the story that has to fail.
func (b broken) tell(ctx context.Context, t *storyteller, timeout time.Duration) (string, error) {
	it, err := b.compile(ctx, t)
	if err != nil {
		return "", err
	}
	defer it.end()
	switch result, err := it.tell(ctx, b.story, timeout); {
	case errors.Is(err, errFailed):
		return fmt.Sprintf("%s failed, as it should, %s", short(b.story), result), nil
	case err != nil:
		return result, err
	default:
		return result, fmt.Errorf("%s %s: it does not see that the steward %s", b.story, result, b.name)
	}
}

// brokenParts returns the parts that tell stories with broken stewards.
func (t *storyteller) brokenParts(ctx context.Context, which func(broken) bool, timeout time.Duration) (parts []part) {
	for _, b := range brokenStewards {
		if which(b) {
			parts = append(parts, part{"steward that " + b.name, func() (string, error) { return b.tell(ctx, t, timeout) }})
		}
	}
	return parts
}

// breakStewards tells the stories that have to fail, and nothing else.
func (c *checking) breakStewards(ctx context.Context, tests string, timeout time.Duration) {
	of, err := regexp.Compile(tests)
	var parts []part
	if err == nil {
		var t *storyteller
		if t, err = newStoryteller(ctx); err == nil {
			parts = t.brokenParts(ctx, func(b broken) bool { return of.MatchString(b.story) }, timeout)
		}
	}
	if err == nil && len(parts) == 0 {
		err = fmt.Errorf("no steward is broken for a story %s", tests)
	}
	if err != nil {
		c.part("broken stewards", func() (string, error) { return "", err })
		return
	}
	c.atOnce(tellers(runtime.NumCPU(), freeMemory()), parts)
}
