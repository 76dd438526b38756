package forecast

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/choose"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// bundled is the NodePool that is shown without a file.
//
//go:embed nodepool.yaml
var bundled []byte

// An input is what all files say.
type input struct {
	policy   manifest.Policy
	pools    []manifest.NodePool
	faults   []manifest.Fault // of what is no NodePool
	policies []manifest.WrittenPolicy
	ignores  []manifest.Ignore
	repeated map[manifest.Place][]Finding // by where the name of a NodePool is written
	files    []string                     // that were read
	notes    []string
	counted  counted
	now      time.Time // for the expiration of nodes
	until    time.Time // up to which expiry matters; zero: nobody asks
	unread   []error   // files that could not be read, while others could
	several  bool      // files are read
	found    bool      // nobody has named the file that is read now
	broken   bool      // there are faults, or a file could not be read
}

func newInput(o options) input {
	return input{policy: o.Policy, now: cmp.Or(o.Now, o.from), until: o.to, repeated: map[manifest.Place][]Finding{}, notes: o.Policy.CalendarNotes()}
}

var errNoPool = errors.New("the input has no readable NodePool: write one, or an object with budgets")

// read reads all files. The error says that there is nothing to show.
func read(o options, env command.Environment) (in input, err error) {
	in = newInput(o)
	switch {
	case len(o.Files) == 0 && env.Cluster != nil:
		if err := in.addCluster(env); err != nil {
			return in, err
		}
	case len(o.Files) == 0:
		in.notes = append(in.notes, "this is a bundled NodePool; for your own, leave out --demo")
		if err := in.add("nodepool.yaml", bytes.NewReader(bundled)); err != nil {
			return in, err
		}
		return in, in.narrow(o.Pool)
	}
	files, errs := expand(o)
	in.several = len(files) > 1
	for _, f := range files {
		in.found = f.found || o.IfAny
		if err := in.addFile(f.name, env.Stdin); err != nil {
			errs = append(errs, err)
		}
	}
	in.namesakes()
	in.faultPolicies()
	in.broken = len(errs)+len(in.faults) > 0
	if len(in.pools) > 0 {
		if err := in.narrow(o.Pool); err != nil {
			return in, errors.Join(append(errs, err)...)
		}
	}
	switch {
	case len(in.pools) > 0:
	case len(errs) > 0:
		return in, errors.Join(errs...)
	default:
		return in, errNoPool
	}
	in.unread = errs
	for _, err := range errs {
		in.notes = append(in.notes, err.Error())
	}
	return in, nil
}

// narrow leaves the pools of a name, if there is one.
func (in *input) narrow(name string) error {
	if name == "" {
		return nil
	}
	var names []string
	for _, p := range in.pools {
		names = append(names, p.Name)
	}
	if err := choose.Pool(name, names); err != nil {
		return err
	}
	in.pools = slices.DeleteFunc(in.pools, func(p manifest.NodePool) bool { return p.Name != name })
	return nil
}

// A file is one to read.
type file struct {
	name  string
	found bool // in a directory
}

// expand returns the files to read, with those of directories.
func expand(o options) (files []file, errs []error) {
	for _, name := range o.Files {
		some, err := manifest.Files(name, o.Deep)
		if err != nil {
			errs = append(errs, err)
		}
		for _, one := range some {
			if found := one != name; !found || !o.excludes(strings.TrimPrefix(one, name)) {
				files = append(files, file{one, found})
			}
		}
	}
	return files, errs
}

// excludes reports whether a pattern matches the path of a file in a directory, or a part of it.
func (o options) excludes(path string) bool {
	path = strings.Trim(filepath.ToSlash(path), "/")
	return slices.ContainsFunc(o.Exclude, func(pattern string) bool {
		matches := func(text string) bool { is, _ := filepath.Match(strings.TrimSuffix(pattern, "/"), text); return is }
		return matches(path) || slices.ContainsFunc(strings.Split(path, "/"), matches)
	})
}

func (in *input) addFile(name string, stdin io.Reader) error {
	if name == "-" {
		return in.add("standard input", stdin)
	}
	f, err := manifest.Open(name, stdin)
	if err != nil {
		return err
	}
	defer f.Close()
	in.files = append(in.files, name)
	return in.add(name, f)
}

func (in *input) add(name string, from io.Reader) error {
	text, err := io.ReadAll(from)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	f, err := in.policy.ReadPools(name, bytes.NewReader(text))
	if (in.several || in.found) && !mayHavePools.Match(text) { // among many files are others as well, such as templates of something else
		if err == nil && len(f.Faults) > 0 {
			err = f.Faults[0]
		}
		if err != nil {
			note := fmt.Sprintf("%s: skipped, since it names no NodePool and no budgets: %v", name, err)
			in.notes = append(in.notes, note)
			return nil
		}
	}
	if in.found && manifest.IsTemplate(text) && (err != nil || f.IsFaulty()) {
		in.notes = append(in.notes, name+": skipped, since it is a template: render it first, and read the result")
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	in.pools = append(in.pools, f.Pools...)
	for _, p := range f.Pools {
		in.notes = append(in.notes, p.Stock...)
	}
	in.faults = append(in.faults, f.Faults...)
	in.policies = append(in.policies, f.Policies...)
	in.ignores = append(in.ignores, f.Ignores...)
	if f.Others > 0 {
		in.notes = append(in.notes, name+": skipped, since it is no Kubernetes object; if it has the values of a template, "+
			"render that, and read the result")
	}
	if f.Skipped > 0 && !in.until.IsZero() {
		in.counted.count(in.policy, text, in.now, in.until)
	}
	if f.Skipped > 0 && len(in.counted.nodes) == 0 {
		in.notes = append(in.notes, fmt.Sprintf("%s: objects other than NodePools are skipped: %d", name, f.Skipped))
		if f.Unrendered != "" {
			in.notes = append(in.notes, name+": "+f.Unrendered)
		}
	}
	return nil
}

// faultPolicies adds what is wrong with DisruptionPolicies, and says that no forecast has their limits.
func (in *input) faultPolicies() {
	in.faults = append(in.faults, manifest.PolicyFaults(in.policy.As, in.policies, in.pools)...)
	for _, p := range in.policies {
		if in.policy.As != engine.Karpenter {
			in.notes = append(in.notes, fmt.Sprintf("%s is not part of what is said of NodePools here: fewer nodes may be disrupted than that, as decide says", wording.Quote(p.Object())))
		}
	}
}

// mayHavePools matches files that may have a NodePool or budgets.
var mayHavePools = regexp.MustCompile(`(?i)node-?_?pool|budget|disruption|karpenter`)

// report prints what is no forecast.
func (in *input) report(stderr io.Writer) {
	for _, note := range in.notes {
		fmt.Fprintln(stderr, "note:", note)
	}
	for _, fault := range in.faults {
		fmt.Fprintln(stderr, fault)
	}
}
