package forecast

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/disruptkit/disruptkit/examples/internal/choose"
	"github.com/disruptkit/disruptkit/examples/internal/engine"
	"github.com/disruptkit/disruptkit/examples/internal/manifest"
	"github.com/disruptkit/disruptkit/examples/internal/program"
)

// bundled is the NodePool that is shown without a file.
//
//go:embed nodepool.yaml
var bundled []byte

// An input is what all files say.
type input struct {
	policy manifest.Policy
	pools  []manifest.NodePool
	others map[engine.Engine][]manifest.NodePool // the same pools, as other engines read them
	faults []manifest.Fault                      // of what is no NodePool
	notes  []string
	unread []error // files that could not be read, while others could
	broken bool    // there are faults, or a file could not be read
}

// read reads all files. The error says that there is nothing to show.
func read(o options, env program.Environment) (in input, err error) {
	in.policy, in.others = o.policy, map[engine.Engine][]manifest.NodePool{}
	var errs []error
	switch {
	case len(o.files) == 0 && env.Cluster != nil:
		if err := in.addCluster(env); err != nil {
			return in, err
		}
	case len(o.files) == 0:
		in.notes = []string{"this is a bundled NodePool; for your own, write: kubectl get nodepools -o yaml | forecast -"}
		if err := in.add("nodepool.yaml", bytes.NewReader(bundled)); err != nil {
			return in, err
		}
		return in, in.narrow(o.pool)
	}
	for _, name := range o.files {
		if err := in.addFile(name, env.Stdin); err != nil {
			errs = append(errs, err)
		}
	}
	in.broken = len(errs)+len(in.faults) > 0
	if len(in.pools) > 0 {
		if err := in.narrow(o.pool); err != nil {
			return in, errors.Join(append(errs, err)...)
		}
	}
	switch {
	case len(in.pools) > 0:
	case len(errs) > 0:
		return in, errors.Join(errs...)
	default:
		return in, errors.New("the input has no readable NodePool: write one, or an object with budgets")
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
	others := func(p manifest.NodePool) bool { return p.Name != name }
	in.pools = slices.DeleteFunc(in.pools, others)
	for e := range in.others {
		in.others[e] = slices.DeleteFunc(in.others[e], others)
	}
	return nil
}

func (in *input) addCluster(env program.Environment) error {
	from, err := env.Cluster("nodepools")
	if err != nil {
		return err
	}
	defer from.Close()
	return in.add("nodepools", from)
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
	return in.add(name, f)
}

func (in *input) add(name string, from io.Reader) error {
	text, err := io.ReadAll(from)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	f, err := in.policy.ReadPools(name, bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for _, e := range engine.All {
		policy := manifest.Policy{As: e, MostSpecific: in.policy.MostSpecific && e == engine.Disruptkit}
		if other, err := policy.ReadPools(name, bytes.NewReader(text)); err == nil && e != in.policy.As {
			in.others[e] = append(in.others[e], other.Pools...)
		}
	}
	in.pools = append(in.pools, f.Pools...)
	in.faults = append(in.faults, f.Faults...)
	if f.Skipped > 0 {
		in.notes = append(in.notes, fmt.Sprintf("%s: objects other than NodePools are skipped: %d", name, f.Skipped))
	}
	return nil
}

// report prints what is no forecast.
func (in *input) report(stderr io.Writer) {
	for _, note := range in.notes {
		fmt.Fprintln(stderr, "note:", note)
	}
	for _, fault := range in.faults {
		fmt.Fprintln(stderr, fault)
	}
}
