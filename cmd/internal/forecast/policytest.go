package forecast

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/internal/stray"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// A suite is a file of policy tests, as cmd/schema/policytest.json describes it.
type suite struct {
	Policies []string     `yaml:"policies"`
	Engine   string       `yaml:"engine"`
	Nodes    int          `yaml:"nodes"`
	Zone     string       `yaml:"zone"`
	From     string       `yaml:"from"`
	To       string       `yaml:"to"`
	Tests    []policyTest `yaml:"tests"`

	file  string
	as    engine.Engine
	pools []manifest.NodePool
}

// A policyTest says what must hold of NodePools.
type policyTest struct {
	Name   string           `yaml:"name"`
	Pool   string           `yaml:"pool"`
	Reason candidate.Reason `yaml:"reason"`
	Nodes  int              `yaml:"nodes"`
	Zone   string           `yaml:"zone"`
	From   string           `yaml:"from"`
	To     string           `yaml:"to"`
	At     string           `yaml:"at"`
	During *during          `yaml:"during"`

	AtMost  *int  `yaml:"atMost"`
	AtLeast *int  `yaml:"atLeast"`
	Limited bool  `yaml:"limited"`
	Open    *open `yaml:"open"`

	line     int
	zone     *time.Location
	from, to time.Time
	window   schedule.Window // zero: always
}

// during is a recurring time.
type during struct {
	Schedule string `yaml:"schedule"`
	Duration string `yaml:"duration"`
	TimeZone string `yaml:"timeZone"`
}

// open is how long some node may be disrupted in each day or week, at least.
type open struct {
	Least string `yaml:"least"`
	Each  string `yaml:"each"`

	least time.Duration
}

// UnmarshalYAML reads a test, and notes its line.
func (t *policyTest) UnmarshalYAML(n *yaml.Node) error {
	type plain policyTest
	t.line = n.Line
	return n.Decode((*plain)(t))
}

// unknownField returns the error for a field that a type does not have; nil: it has all.
func unknownField(n *yaml.Node, t reflect.Type) error {
	switch n.Kind {
	case yaml.DocumentNode:
		return unknownField(n.Content[0], t)
	case yaml.AliasNode:
		return nil // what it stands for is elsewhere
	}
	switch t.Kind() {
	case reflect.Pointer:
		return unknownField(n, t.Elem())
	case reflect.Slice:
		for _, item := range n.Content {
			if err := unknownField(item, t.Elem()); err != nil {
				return err
			}
		}
	case reflect.Struct:
		of := map[string]reflect.Type{}
		for i := range t.NumField() {
			if name := t.Field(i).Tag.Get("yaml"); name != "" {
				of[name] = t.Field(i).Type
			}
		}
		names := slices.Sorted(maps.Keys(of))
		for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			if key.Tag == "!!merge" {
				continue
			}
			if of[key.Value] == nil {
				meant := cmp.Or(stray.Nearest(key.Value, names), "one of "+strings.Join(names, ", "))
				return fmt.Errorf("line %d: %.100q is unknown: write %s", key.Line, key.Value, meant)
			}
			if err := unknownField(n.Content[i+1], of[key.Value]); err != nil {
				return err
			}
		}
	}
	return nil
}

// decodeSuite decodes a file of policy tests.
func decodeSuite(in io.Reader, s *suite) error {
	var root yaml.Node
	switch err := yaml.NewDecoder(in).Decode(&root); {
	case errors.Is(err, io.EOF):
		return errors.New("it is empty: write policies and tests")
	case err != nil:
		return fmt.Errorf("not valid YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := unknownField(&root, reflect.TypeFor[suite]()); err != nil {
		return err
	}
	var wrong *yaml.TypeError
	if err := root.Decode(s); errors.As(err, &wrong) {
		return errors.New(wrong.Errors[0])
	} else if err != nil {
		return err
	}
	switch {
	case len(s.Policies) == 0:
		return errors.New("policies is missing: name files with NodePools")
	case len(s.Tests) == 0:
		return errors.New("tests is missing: write what must hold of the NodePools")
	}
	return nil
}

// readSuite reads a file of policy tests, and the NodePools that it names.
func readSuite(file string, stdin io.Reader) (*suite, error) {
	in, err := manifest.Open(file, stdin)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	s := &suite{file: file, as: engine.Karpenter}
	if err := decodeSuite(in, s); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if s.Engine != "" {
		if err := s.as.Set(s.Engine); err != nil {
			return nil, fmt.Errorf("%s: engine %w", file, err)
		}
	}
	for _, name := range s.Policies {
		if !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(file), name)
		}
		if err := s.readPolicies(name); err != nil {
			return nil, fmt.Errorf("%s: policies: %w", file, err)
		}
	}
	for i := range s.Tests {
		if err := s.Tests[i].set(s); err != nil {
			return nil, fmt.Errorf("%s:%d: test %q: %w", file, s.Tests[i].line, s.Tests[i].Name, err)
		}
	}
	return s, nil
}

// readPolicies reads the NodePools of a file.
func (s *suite) readPolicies(name string) error {
	in, err := os.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	f, err := manifest.Policy{As: s.as}.ReadPools(name, in)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", name, err)
	case len(f.Faults) > 0:
		return f.Faults[0]
	case len(f.Pools)+len(f.Policies) == 0:
		return fmt.Errorf("%s has no NodePool", name)
	case len(f.Policies) > 0 && s.as != engine.Karpenter:
		return fmt.Errorf("%s has %s, which no forecast of a NodePool has in it: put NodePools into a file of their own", name, f.Policies[0].Object())
	}
	for _, p := range f.Pools {
		if len(p.Faults) > 0 {
			return p.Faults[0]
		}
		if _, err := p.Spec.Compile(); err != nil { // which then allows nothing
			return fmt.Errorf("%s: NodePool %s: %w", name, wording.Quote(p.Name), err)
		}
	}
	s.pools = append(s.pools, f.Pools...)
	return nil
}

// longestTest is as long as a forecast may be.
const longestTest = 10 * 365 * 24 * time.Hour

// set reads the texts of a test, with what the suite says for all.
func (t *policyTest) set(s *suite) (err error) {
	t.Nodes = cmp.Or(t.Nodes, s.Nodes, 100)
	if t.zone, err = time.LoadLocation(cmp.Or(t.Zone, s.Zone, "UTC")); err != nil {
		return fmt.Errorf("zone %q is unknown: write one such as Europe/Berlin", cmp.Or(t.Zone, s.Zone))
	}
	if n := count(t.AtMost != nil, t.AtLeast != nil, t.Limited, t.Open != nil); n != 1 {
		return fmt.Errorf("it has %d of atMost, atLeast, limited and open: write one of them", n)
	}
	if t.Nodes < 0 {
		return fmt.Errorf("nodes %d is negative: write how many nodes the NodePool has", t.Nodes)
	}
	if t.Reason != "" {
		if t.Reason, err = candidate.ParseReason(string(t.Reason)); err != nil {
			return err
		}
	}
	if err := errors.Join(t.setSpan(s), t.setWindow(), t.setOpen()); err != nil {
		return err
	}
	for _, p := range s.pools {
		if t.Pool == "" || t.Pool == p.Name {
			return nil
		}
	}
	return fmt.Errorf("there is no NodePool %q: there are %s", t.Pool,
		wording.List(s.pools, 5, func(p manifest.NodePool) string { return wording.Quote(p.Name) }))
}

func count(conditions ...bool) (n int) {
	for _, c := range conditions {
		if c {
			n++
		}
	}
	return n
}

// setSpan reads the times of a test. One at a time is of that minute.
func (t *policyTest) setSpan(s *suite) (err error) {
	if t.At != "" {
		if t.From+t.To != "" || t.During != nil || t.Open != nil {
			return errors.New("at is a single time: leave out from, to, during and open")
		}
		t.from, err = command.Time("at", t.At, t.zone)
		t.to = t.from.Add(time.Second)
		return err
	}
	from, to := cmp.Or(t.From, s.From), cmp.Or(t.To, s.To)
	if from == "" || to == "" {
		return errors.New("from or to is missing: write dates such as 2027-01-01, so that the test means the same tomorrow")
	}
	if t.from, err = command.Time("from", from, t.zone); err != nil {
		return err
	}
	if t.to, err = command.Time("to", to, t.zone); err != nil {
		return err
	}
	if lasts := t.to.Sub(t.from); lasts <= 0 || lasts > longestTest {
		return fmt.Errorf("from %s to %s is not a time of up to ten years", from, to)
	}
	return nil
}

// setWindow reads when the test must hold.
func (t *policyTest) setWindow() error {
	if t.During == nil {
		return nil
	}
	d, err := time.ParseDuration(t.During.Duration)
	if err != nil {
		return fmt.Errorf("during.duration %q is not a duration: write one such as 8h", t.During.Duration)
	}
	t.window, err = schedule.Parse(t.During.Schedule, d, cmp.Or(t.During.TimeZone, t.zone.String()))
	if err != nil {
		return fmt.Errorf("during: %w", err)
	}
	return nil
}

func (t *policyTest) setOpen() (err error) {
	if t.Open == nil {
		return nil
	}
	if t.Open.least, err = time.ParseDuration(t.Open.Least); err != nil || t.Open.least <= 0 {
		return fmt.Errorf("open.least %q is not a duration: write one such as 4h", t.Open.Least)
	}
	if t.Open.Each != "day" && t.Open.Each != "week" {
		return fmt.Errorf("open.each %q is unknown: write day or week", t.Open.Each)
	}
	return nil
}

// A verdict is how a test ended for a NodePool and a reason; "" of why: well.
type verdict struct {
	*policyTest
	pool   string
	reason candidate.Reason
	at     time.Time // of the counterexample
	why    string
}

// run tries all tests, each for its NodePools and reasons.
func (s *suite) run() (all []verdict, err error) {
	for i := range s.Tests {
		t := &s.Tests[i]
		for _, read := range s.pools {
			if t.Pool != "" && t.Pool != read.Name {
				continue
			}
			p := newPool(read, t.Nodes)
			reasons := []candidate.Reason{t.Reason}
			if t.Reason == "" {
				reasons = p.ownReasons()
			}
			for _, reason := range reasons {
				timeline, err := p.timeline(t.from, t.to, reason)
				if err != nil {
					return nil, fmt.Errorf("%s:%d: %s, %s: %w", s.file, t.line, wording.Quote(read.Name), reason, err)
				}
				v := verdict{policyTest: t, pool: read.Name, reason: reason}
				v.at, v.why = t.counterexample(p, timeline)
				all = append(all, v)
			}
		}
	}
	return all, nil
}

// unlimited returns a sentence for each NodePool that a test without a reason caps, and whose nodes expire without asking budgets.
func (s *suite) unlimited() (notes []string) {
	for _, p := range s.pools {
		capped := func(t policyTest) bool {
			return t.Reason == "" && (t.AtMost != nil || t.Limited) && (t.Pool == "" || t.Pool == p.Name)
		}
		if after := p.Known.ExpireAfter; after > 0 && slices.ContainsFunc(s.Tests, capped) {
			notes = append(notes, fmt.Sprintf("nodes of %s expire %s after their creation, at any time: expiration asks no budget, and tests "+
				"without a reason are not of it; write expireAfter: Never, or test reason: Expired", wording.Quote(p.Name), wording.Duration(after)))
		}
	}
	return notes
}

// counterexample returns the first time at which a timeline is not as it must be, and what is so then; "": it always is.
func (t *policyTest) counterexample(p *pool, timeline []budget.Segment) (at time.Time, why string) {
	if t.Open != nil {
		return t.tooShort(timeline)
	}
	for _, s := range timeline {
		wrong := t.wrong(s.Nodes)
		if wrong == "" {
			continue
		}
		for held := range t.window.Spans(s.Start, s.End) {
			return held.Start, fmt.Sprintf("%s, want %s", p.allowedText(s), wrong)
		}
	}
	return at, ""
}

// wrong describes what a number must be; "": it is.
func (t *policyTest) wrong(nodes int) string {
	switch {
	case t.AtMost != nil && nodes > *t.AtMost:
		return fmt.Sprintf("at most %d", *t.AtMost)
	case t.AtLeast != nil && nodes < *t.AtLeast:
		return fmt.Sprintf("at least %d", *t.AtLeast)
	case t.Limited && nodes == budget.Unlimited:
		return "a limit"
	}
	return ""
}

// allowedText describes how many nodes may be disrupted, and by which budgets.
func (p *pool) allowedText(s budget.Segment) string {
	if s.Nodes == budget.Unlimited {
		return "any number of nodes may be disrupted, since no budget is active"
	}
	text := fmt.Sprintf("%d of %d nodes may be disrupted", s.Nodes, p.nodes)
	for i := range s.Binding.All() {
		return text + " by " + p.where(i)
	}
	return text
}

// tooShort returns the first whole day or week in which nodes may be disrupted for less time than they must.
func (t *policyTest) tooShort(timeline []budget.Segment) (at time.Time, why string) {
	days := map[string]int{"day": 1, "week": 7}[t.Open.Each]
	day := t.from.In(t.zone)
	first := command.Day(day.Year(), day.Month(), day.Day(), t.zone)
	for first.Before(t.from) || days == 7 && first.Weekday() != time.Monday {
		first = command.Day(first.Year(), first.Month(), first.Day()+1, t.zone)
	}
	for {
		next := command.Day(first.Year(), first.Month(), first.Day()+days, t.zone)
		if next.After(t.to) {
			return at, ""
		}
		lasts := time.Duration(0)
		for _, s := range timeline {
			if s.Nodes > 0 {
				for open := range t.window.Spans(schedule.Last(s.Start, first), schedule.First(s.End, next)) {
					lasts += open.End.Sub(open.Start)
				}
			}
		}
		if lasts < t.Open.least {
			return first, fmt.Sprintf("nodes may be disrupted for %s of the %s, want %s", wording.Duration(lasts), t.Open.Each, t.Open.Least)
		}
		first = next
	}
}
