package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// allStories are the tests of the guard's module that need a server.
	allStories = "^TestServer"
	// teller is how much memory a story takes, with its servers.
	teller = 800 << 20
)

// tellers returns how many stories are run at once, each on servers of its own: they mostly wait.
func tellers(cpus int, free int64) int {
	return max(1, min(4*cpus, int((free-1<<30)/teller))) // the suite runs beside them
}

// freeMemory returns how many bytes of memory are free: where /proc does not say it, a machine for development is assumed.
func freeMemory() int64 {
	text, err := os.ReadFile("/proc/meminfo")
	found := regexp.MustCompile(`(?m)^MemAvailable: +(\d+) kB$`).FindSubmatch(text)
	if err != nil || found == nil {
		return 8 << 30
	}
	kb, _ := strconv.ParseInt(string(found[1]), 10, 54)
	return kb << 10
}

// A storyteller is the tests of the guard's module, compiled.
type storyteller struct {
	dir, binary string
	logs        string // the directory of what stories say, of this run alone
	env         []string
	quiet       bool // stories have to fail
}

// newStoryteller returns one that has a new directory, beside those of other runs that may still be under way.
func newStoryteller(ctx context.Context) (*storyteller, error) {
	servers, err := assets(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := moduleDir(ctx, guardModule)
	if err != nil {
		return nil, err
	}
	logs, err := newRun(time.Now())
	if err != nil {
		return nil, err
	}
	return &storyteller{dir: dir, logs: logs, binary: filepath.Join(logs, "stories.test"), env: []string{"KUBEBUILDER_ASSETS=" + servers}}, nil
}

func (t *storyteller) compile(ctx context.Context, flags ...string) error {
	cmd := command(ctx, t.dir, nil, "go", append(append([]string{"test", "-c"}, flags...), "-o", t.binary, ".")...)
	cmd.Stdout = os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("compiling the stories: %w", err)
	}
	return nil
}

// keptFor is how long what a run of stories has said is kept.
const keptFor = 24 * time.Hour

// newRun returns a new directory for a run, and removes those of runs that began long ago.
func newRun(now time.Time) (string, error) {
	cache, err := cacheDir()
	if err != nil {
		return "", err
	}
	all := filepath.Join(cache, "told")
	if err := os.MkdirAll(all, 0o755); err != nil {
		return "", err
	}
	runs, err := os.ReadDir(all)
	if err != nil {
		return "", err
	}
	for _, r := range runs {
		if info, err := r.Info(); err == nil && now.Sub(info.ModTime()) > keptFor {
			if err := os.RemoveAll(filepath.Join(all, r.Name())); err != nil {
				return "", err
			}
		}
	}
	return os.MkdirTemp(all, now.Format("2006-01-02T150405-"))
}

// end removes what is large. What stories have said stays for a while.
func (t *storyteller) end() { _ = os.Remove(t.binary) }

// names returns the names of stories, in the order in which they begin. Those that are long or measure are among them only in a full check,
// or if nothing else is meant.
func (t *storyteller) names(ctx context.Context, tests string, full bool) (names []string, err error) {
	out, err := output(ctx, t.dir, t.env, t.binary, "-test.list", tests)
	if err != nil {
		return nil, err
	}
	all := strings.Fields(out)
	for _, name := range all {
		if !strings.HasPrefix(name, "TestServer") || len(all) > 1 && (slices.Contains(scale, name) || !full && slices.Contains(long, name)) {
			continue
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("there is no story %s", tests)
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	return names, nil
}

// scale are the stories that only measure: each is run alone, and only by a full check.
var scale = []string{"TestServerScale", "TestServerStewardScale"}

// long are the stories that take so much longer than the others that only a full check runs them.
var long = []string{"TestServerStewardHoldsForTenMinutes", "TestServerStatusOfARollOfSixty", "TestServerStewardByHelm"}

// slow are the stories that take longest: they begin first, in this order, after those that are long.
var slow = []string{
	"TestServerStewardDiesUnderACapOfThreePools", "TestServerStewardExpiryUnderBudgets", "TestServerWatchesLag", "TestServerStewardWithoutMutatingPolicies", "TestServerStewardConsolidates",
	"TestServerStewardKeepsAPace", "TestServerStewardConflicts", "TestServerStewardTakesBackWhatIsNotUsed", "TestServerStewardOutlastsAnOutage", "TestServerZonesTakeTurns",
	"TestServerCrashesInARoll",
}

// rank is lower for stories that begin first.
func rank(story string) int {
	first := slices.Concat(long, slow)
	if at := slices.Index(first, story); at >= 0 {
		return at
	}
	return len(first)
}

// A part is one of the parts of a check.
type part struct {
	name string
	do   func() (result string, err error)
}

// stories tells stories, some at once. Each has a process and servers of its own, so that what one does to them concerns no other. In a full
// check, stories with stewards that are wrong on purpose are among them.
func (c *checking) stories(ctx context.Context, t *storyteller, tests string, full bool, timeout time.Duration) {
	names, err := t.names(ctx, tests, full)
	if err != nil {
		c.part("stories", func() (string, error) { return "", err })
		return
	}
	most := tellers(runtime.NumCPU(), freeMemory())
	say("telling %d stories, up to %d at once; what they say is in %s", len(names), most, t.logs)
	parts := t.parts(ctx, names, timeout)
	if full && tests == allStories {
		parts = append(parts, t.brokenParts(ctx, func(broken) bool { return true }, timeout)...)
	}
	c.atOnce(most, parts)
}

// compiled compiles the stories, and removes them after their use.
func (c *checking) compiled(ctx context.Context, use func(*storyteller)) {
	var t *storyteller
	compiled := c.part("stories, compiled", func() (result string, err error) {
		if t, err = newStoryteller(ctx); err == nil {
			say("compiling the stories")
			err = t.compile(ctx)
		}
		return "", err
	})
	if compiled {
		defer t.end()
		use(t)
	}
}

// parts returns the parts that tell stories.
func (t *storyteller) parts(ctx context.Context, names []string, timeout time.Duration) (parts []part) {
	for _, name := range names {
		parts = append(parts, part{"story " + short(name), func() (string, error) { return t.tell(ctx, name, timeout) }})
	}
	return parts
}

// short is the name of a story in tables.
func short(story string) string { return strings.TrimPrefix(story, "TestServer") }

// atOnce does parts, so many at once.
func (c *checking) atOnce(most int, parts []part) {
	next := make(chan part)
	var all sync.WaitGroup
	for range most {
		all.Go(func() {
			for p := range next {
				c.part(p.name, p.do)
			}
		})
	}
	for _, p := range parts {
		next <- p
	}
	close(next)
	all.Wait()
}

// measure tells the stories that measure, each alone.
func (c *checking) measure(ctx context.Context, t *storyteller, timeout time.Duration) {
	t.env = append(t.env, "SCALE=1")
	for _, name := range scale {
		c.part("story "+strings.TrimPrefix(name, "TestServer"), func() (string, error) { return t.tell(ctx, name, timeout) })
	}
}

// tell runs a story. Where it measures, or fails while nobody expects that, all that it said is printed.
func (t *storyteller) tell(ctx context.Context, name string, timeout time.Duration) (result string, err error) {
	log := filepath.Join(t.logs, name+".log")
	file, err := os.Create(log)
	if err != nil {
		return "", err
	}
	defer file.Close()
	cmd := command(ctx, t.dir, t.env, t.binary, "-test.v", "-test.run", "^"+name+"$", "-test.timeout", timeout.String())
	cmd.Stdout, cmd.Stderr = file, file
	ended := cmd.Run()
	if exit := (*exec.ExitError)(nil); ended != nil && !errors.As(ended, &exit) {
		return "", ended
	}
	text, err := os.ReadFile(log)
	if err != nil {
		return "", err
	}
	result, err = storyResult(name, string(text))
	if err == nil && ended != nil {
		err = fmt.Errorf("it passed, but not what came after it: %w", ended)
	}
	if err != nil {
		if !t.quiet {
			fmt.Fprintf(os.Stderr, "\n%s\n", text)
		}
		return cost(cmd), fmt.Errorf("%w, see %s", err, log)
	}
	say("%s %s", name, result)
	if slices.Contains(scale, name) {
		fmt.Printf("%s", text)
	}
	return result + ", " + cost(cmd), nil
}

// cost describes how much CPU time a command that has ended took, with all that it started and waited for.
func cost(cmd *exec.Cmd) string {
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return fmt.Sprintf("%s of CPU", used.Round(time.Second))
}

var errFailed = errors.New("it failed")

// storyResult reads what go test -v has written of a test: it is an error unless that passed or was skipped.
func storyResult(name, out string) (string, error) {
	end := regexp.MustCompile(`(?m)^--- (PASS|FAIL|SKIP): ` + name + ` \(`).FindStringSubmatch(out)
	switch {
	case end == nil:
		return "", errors.New("it has not come to its end")
	case end[1] == "FAIL":
		if said := regexp.MustCompile(`(?m)^ +\w+_test\.go:\d+: .*`).FindString(out); said != "" {
			return "", fmt.Errorf("%w: %s", errFailed, strings.TrimSpace(said)) // what was wrong is said first, the whole story later
		}
		return "", errFailed
	case end[1] == "SKIP":
		return "skipped", nil
	}
	return "passed", nil
}
