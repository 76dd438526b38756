package planner

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/display"
	"github.com/disruptkit/disruptkit/plan"
)

// A share is a part of all cases, and how long they take: from one time to another, all of which are as frequent.
type share struct {
	weight   float64
	from, to time.Duration
}

// times are how long something takes, by chance.
type times struct {
	source string // for people: where they are from; "" is the command line
	all    []share
	pools  map[string][]share // those of single pools, where they are known
}

// durations are what takes time, by their flags.
var durations = []struct{ name, several, usual, usage string }{
	{"drain", "drains", "3m", "how long a node drains: 3m; or 1m,3m,20m if each node takes one of these `times`, by chance; or " +
		"@file with such times: one per line; the metrics of Karpenter, as its /metrics prints them, or another " +
		"histogram"},
	{"launch", "launches", "2m", "how long it takes from the launch of a replacement node until it is Ready, with `times` as for --drain"},
	{"eviction", "evictions", "30s", "how long it takes from the eviction of a pod until its replacement is Ready, with `times` as for --drain: " +
		"pods that share a PodDisruptionBudget wait that long for each other; 0s: they do not wait"},
}

// Durations are the flags of how long nodes take, in their order.
type Durations [3]string

// AddFlags adds the flags.
func (d *Durations) AddFlags(f *pflag.FlagSet) {
	for i, of := range durations {
		f.StringVar(&d[i], of.name, of.usual, of.usage)
	}
}

// set sets the durations of a model, and returns what is assumed.
func (d Durations) set(m *plan.Model) (assumed []string, err error) {
	for i, to := range []*plan.Takes{&m.Drain, &m.Launch, &m.Eviction} {
		text, fault := setTakes(durations[i].name, d[i], to)
		if err = errors.Join(err, fault); text != "" {
			assumed = append(assumed, text)
		}
	}
	if d, err := time.ParseDuration(d[2]); err == nil && d == 0 {
		m.Eviction = nil
	}
	return assumed, err
}

// defaults describes which durations are neither given nor measured.
func defaults(in disruptkit.Input, known func(flag string) bool) string {
	var texts []string
	for _, d := range durations {
		if matters := d.name != "eviction" || len(in.Rules.PDBs()) > 0; matters && !known(d.name) {
			texts = append(texts, d.several+" of "+d.usual)
		}
	}
	if len(texts) == 0 {
		return ""
	}
	return "Defaults, not measured: " + strings.Join(texts, ", ") + "."
}

// setTakes reads how long something takes. It returns what is assumed, in a sentence, or "" if the plan already lists it.
func setTakes(name, text string, to *plan.Takes) (assumed string, err error) {
	t, err := readTimes(name, text)
	if err != nil {
		return "", err
	}
	inOrder(t.all)
	for _, shares := range t.pools {
		inOrder(shares)
	}
	*to = t.of
	if t.source == "" {
		return "", nil
	}
	return t.text(name), nil
}

// text describes the times of something to people.
func (t times) text(name string) string {
	one, own := "a "+name, ""
	if name == "eviction" {
		one = "an eviction"
	}
	if len(t.pools) > 0 {
		own = ", of its own pool where that is known"
	}
	return fmt.Sprintf("%s takes as long as one of %s%s: half of them up to %s, nine in ten up to %s, and the longest %s",
		one, t.source, own, display.Rough(at(t.all, 0.5)), display.Rough(at(t.all, 0.9)), display.Rough(at(t.all, 1)))
}

// of is the plan.Takes of these times.
func (t times) of(n candidate.Node, _ time.Time, chance float64) time.Duration {
	shares := t.pools[n.Pool]
	if shares == nil {
		shares = t.all
	}
	return at(shares, chance)
}

// inOrder puts shares in order, from the shortest to the longest.
func inOrder(shares []share) {
	slices.SortFunc(shares, func(a, b share) int { return cmp.Or(cmp.Compare(a.to, b.to), cmp.Compare(a.from, b.from)) })
}

// at returns the time that is so far along the shares, from 0 to 1, as Prometheus does (histogram_quantile). Of shares that
// overlap, it is a bound.
func at(shares []share, part float64) time.Duration {
	part *= weight(shares)
	for _, s := range shares {
		if part < s.weight {
			return (s.from + time.Duration(part/s.weight*float64(s.to-s.from))).Round(time.Second)
		}
		part -= s.weight
	}
	return shares[len(shares)-1].to
}

func weight(shares []share) (sum float64) {
	for _, s := range shares {
		sum += s.weight
	}
	return sum
}

// mean returns the mean, in milliseconds.
func mean(shares []share) time.Duration {
	sum := 0.0
	for _, s := range shares {
		sum += s.weight * float64(s.from+s.to) / 2
	}
	return time.Duration(sum / weight(shares)).Round(time.Millisecond)
}

// parseShares reads times that all are as frequent.
func parseShares(texts []string) ([]share, error) {
	var all []share
	for _, text := range texts {
		text = strings.TrimSpace(text)
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 {
			return nil, fmt.Errorf("%q is not a duration: write one such as 90s or 3m", text)
		}
		all = append(all, share{1, d, d})
	}
	return all, nil
}

// readTimes reads the times of a flag: "3m", "1m,3m,20m", or "@file".
func readTimes(name, text string) (t times, err error) {
	if file, ok := strings.CutPrefix(text, "@"); ok {
		t, err = ofFile(name, file)
	} else {
		t.all, err = parseShares(strings.Split(text, ","))
	}
	if err != nil {
		err = fmt.Errorf("--%s: %w", name, err)
	}
	return t, err
}

// ofFile reads the times of a file: metrics, or a line each.
func ofFile(what, path string) (t times, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return t, err
	}
	all := histograms(text)
	switch start := strings.TrimSpace(string(text)); {
	case start == "":
		return t, fmt.Errorf("%s is empty: write a duration on each line", path)
	case len(all) > 0:
		t, err = ofMetrics(what, all)
	default:
		t, err = ofLines(start)
	}
	if err != nil {
		return t, fmt.Errorf("%s: %w", path, err)
	}
	t.source += " in " + path
	return t, nil
}

// ofLines reads a duration on each line.
func ofLines(text string) (t times, err error) {
	if t.all, err = parseShares(strings.Fields(text)); err != nil {
		return t, fmt.Errorf("no histogram, such as Karpenter's karpenter_nodeclaims_termination_duration_seconds, and not a duration on each line: %w", err)
	}
	t.source = fmt.Sprint(len(t.all))
	return t, nil
}
