package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/internal/kube"
)

// recording is a kubectl that writes down its arguments, a line for each call, and prints the bundled cluster.
func recording(t *testing.T) (calls func() []string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "calls")
	t.Setenv("CALLS", file)
	objects(t, "../internal/bundled/cluster.json")
	fakeKubectl(t, `echo "$*" >>"$CALLS"
case "$*" in
*current-context) echo prod-eu ;;
*get-contexts*) echo prod-eu; echo prod-us ;;
*"--output name") echo node/ip-1; echo node/ip-2 ;;
*) cat "$OBJECTS" ;;
esac
`)
	return func() []string {
		text, err := os.ReadFile(file)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		_ = os.Remove(file)
		return withoutDetection(strings.Split(strings.TrimSpace(string(text)), "\n"))
	}
}

// withoutDetection leaves out the calls that find out which engine runs the NodePools.
func withoutDetection(all []string) []string {
	at := slices.IndexFunc(all, func(call string) bool { return strings.HasSuffix(call, "get nodepools --output json") })
	if at < 0 {
		return all
	}
	before := at
	if at > 0 && strings.HasSuffix(all[at-1], "config current-context") {
		before = at - 1
	}
	return slices.Delete(all, before, at+1)
}

const get = "get nodepools,nodeclaims,nodes,pods,poddisruptionbudgets --all-namespaces --output json"

func TestKubectlsFlagsAreHandedOnToIt(t *testing.T) {
	calls := recording(t)
	for i, c := range []struct {
		args, context, get string // what kubectl is called with, to learn the context, and to list
	}{
		{"--context prod-us", "", "--context prod-us "},
		{"--context=prod-us", "", "--context prod-us "},
		{"--kubeconfig /tmp/k --request-timeout=5s", "--kubeconfig=/tmp/k --request-timeout=5s ", "--context prod-eu --kubeconfig=/tmp/k --request-timeout=5s "},
		{"--as ops@example.com --as-group a --as-group b", "--as=ops@example.com --as-group=a --as-group=b ", "--context prod-eu --as=ops@example.com --as-group=a --as-group=b "},
		{"--cluster c --user u --token t", "--cluster=c --user=u --token=t ", "--context prod-eu --cluster=c --user=u --token=t "},
		{"-s https://example.com", "--server=https://example.com ", "--context prod-eu --server=https://example.com "},
		{"--insecure-skip-tls-verify", "--insecure-skip-tls-verify=true ", "--context prod-eu --insecure-skip-tls-verify=true "},
		{"-A", "", "--context prod-eu "},
	} {
		for _, name := range []string{"decide", "plan", "status", "metrics", "why", "forecast", "lint"} {
			flags := strings.Fields(c.args)
			command := []string{name}
			switch name {
			case "why":
				command = append(command, "ip-10-0-36-243")
			case "plan":
				command = append(command, "--try=false")
			case "status":
				command = append(command, "--runs", "1")
			}
			args := slices.Concat(flags, command)
			if i%2 == 1 { // flags may stand before the command or after it
				args = slices.Concat(command, flags)
			}
			got := ran(t, args...)
			all := calls()
			list := get
			if name == "forecast" || name == "lint" {
				list = "get nodepools,nodeclaims,nodes --all-namespaces --output json"
			}
			if got.status == 2 || all[len(all)-1] != c.get+list {
				t.Errorf("%s: status %d, %q, %.200s", args, got.status, all, got.stderr)
			}
			if asks := len(all) == 2; asks != !strings.Contains(c.args, "--context") || asks && all[0] != strings.TrimPrefix(c.context, " ")+"config current-context" {
				t.Errorf("%s: %q", args, all)
			}
		}
	}
}

func TestANamespaceHasNoEffectAndThatIsSaid(t *testing.T) {
	calls := recording(t)
	all := ran(t, "decide", "--now", "2026-11-20T10:30:00Z")
	calls()
	for _, args := range [][]string{{"-n", "shop", "decide"}, {"decide", "--namespace=shop"}} {
		got := ran(t, append(args, "--now", "2026-11-20T10:30:00Z")...)
		if got.stdout != all.stdout || !strings.Contains(got.stderr, "note: -n shop has no effect: nodes have pods of all namespaces, so all are read\n") {
			t.Errorf("%s: %s", args, got.stderr)
		}
		if made := calls(); made[1] != "--context prod-eu "+get {
			t.Errorf("%q", made)
		}
	}
}

func TestAServerNeedsNoContext(t *testing.T) {
	objects(t, "../internal/bundled/cluster.json")
	fakeKubectl(t, `case "$*" in
*current-context) echo 'error: current-context is not set' >&2; exit 1 ;;
"--server=https://example.com --token=t get "*) cat "$OBJECTS" ;;
*) echo "unexpected: $*" >&2; exit 1 ;;
esac
`)
	got := ran(t, "decide", "--server", "https://example.com", "--token", "t")
	if got.status == 2 || !strings.Contains(got.stderr, "asking the cluster of https://example.com for ") {
		t.Errorf("status %d, %s", got.status, got.stderr)
	}
}

func TestTheClusterThatIsAskedIsNamedAndNotTheOneOfTheContext(t *testing.T) {
	recording(t)
	for _, c := range []struct{ args, want string }{
		{"--server https://example.com", "https://example.com"},
		{"--context prod-us --server https://example.com", "https://example.com"},
		{"--context prod-us --cluster test", "test"},
		{"--user ops", "context prod-eu"},
	} {
		got := ran(t, append([]string{"decide"}, strings.Fields(c.args)...)...)
		if got.status == 2 || !strings.Contains(got.stderr, "note: asking the cluster of "+c.want+" for ") {
			t.Errorf("%s: status %d, %.200s", c.args, got.status, got.stderr)
		}
	}
}

func TestFlagsOfTheConnectionHaveNoEffectOnAFileAndThatIsSaid(t *testing.T) {
	got := ran(t, "decide", "-f", "../internal/bundled/cluster.json", "--context", "prod", "--as=ops")
	if !strings.HasSuffix(got.stderr, "note: --context, --as have no effect where a file is read\n") {
		t.Errorf("%+v", got)
	}
}

// Where there is no file, it is not said that one is read.
func TestFlagsOfTheConnectionAreNoMatterWithoutClusterAndFile(t *testing.T) {
	for _, args := range []string{"decide --help", "explain exhausted", "decide --demo", "forecast --demo", "--version"} {
		if got := ran(t, append([]string{"--context", "prod"}, strings.Fields(args)...)...); got.status == 2 || strings.Contains(got.stderr, "a file is read") {
			t.Errorf("%s: %+v", args, got)
		}
	}
	for _, args := range []string{"lint ../internal/forecast/nodepool.yaml", "forecast -f ../internal/forecast/nodepool.yaml"} {
		got := ran(t, append([]string{"--context", "prod"}, strings.Fields(args)...)...)
		if !strings.HasSuffix(got.stderr, "note: --context has no effect where a file is read\n") {
			t.Errorf("%s: %+v", args, got)
		}
	}
}

func TestTheNameOfAnEngineIsNoUserToImpersonate(t *testing.T) {
	calls := recording(t)
	for _, name := range []string{"decide", "why", "forecast", "plan", "status", "lint", "metrics", "dashboard"} {
		for _, args := range [][]string{{"--as", "guard"}, {"--as", "Karpenter"}, {"--as=disruptkit"}} {
			engine := strings.ToLower(args[len(args)-1][strings.Index(args[len(args)-1], "=")+1:])
			want := "kubectl disruption " + name + ": --as impersonates a user, as in kubectl: to name the engine, write --engine " + engine + "\n"
			if got := ran(t, append([]string{name}, args...)...); got.status != 2 || got.stderr != want {
				t.Errorf("%s %s: %+v", name, args, got)
			}
		}
	}
	if made := calls(); made[0] != "" {
		t.Errorf("kubectl was asked: %q", made)
	}
}

// Programs get a document, whatever ends lint: a flag of kubectl, an unknown one, a cluster that is not there.
func TestLintPrintsADocumentWhateverEndsIt(t *testing.T) {
	fakeKubectl(t, "echo nothing >&2; exit 1\n")
	for _, args := range []string{"lint", "lint --as guard", "--as=guard lint", "lint --unheard-of", "lint --insecure-skip-tls-verify=maybe"} {
		for _, format := range []string{"json", "sarif"} {
			got := ran(t, strings.Fields(args+" -o "+format)...)
			if got.status != 2 || !json.Valid([]byte(got.stdout)) {
				t.Errorf("%s: %+v", args, got)
			}
		}
	}
}

func TestErrorsNameTheProgramThatWasTyped(t *testing.T) {
	fakeKubectl(t, "echo nothing >&2; exit 1\n")
	for _, c := range newRoot(new(command.Environment), kube.Cluster{Flags: new(kube.Flags)}).Commands() {
		name := c.Name()
		if !c.HasExample() {
			continue // it has no flags of its own
		}
		for _, args := range [][]string{{"--unheard-of"}, {"-o", "xml", "ip-1"}, {"-o"}, {"--zone", "Mars/Olympus"}, {"--now", "x"}, {"a", "b", "c"}, nil} {
			got := ran(t, append([]string{name}, args...)...)
			if got.status != 2 {
				continue
			}
			for line := range strings.Lines(got.stderr) {
				if _, after, ok := strings.Cut(line, "write "); ok && strings.Contains(after, "--help") && !strings.HasPrefix(after, "kubectl disruption "+name+" --help") {
					t.Errorf("%s %s: %s", name, args, line)
				}
			}
			if !strings.HasPrefix(got.stderr, "kubectl disruption "+name+": ") {
				t.Errorf("%s %s: %s", name, args, got.stderr)
			}
		}
		if got := ran(t, name, "--unheard-of"); got.stderr != "kubectl disruption "+name+": unknown flag: --unheard-of: write kubectl disruption "+name+" --help to see the flags\n" {
			t.Errorf("%s", got.stderr)
		}
	}
	if got := ran(t, "--unheard-of"); got.status != 2 || !strings.HasPrefix(got.stderr, "kubectl disruption: unknown flag: --unheard-of\nwrite kubectl disruption --help") {
		t.Errorf("%+v", got)
	}
}

// What somebody looks for comes first: usage, examples, the flags of the command, and those that others have as well.
func TestHelpHasUsageAndExamplesFirstAndEachFlagOnce(t *testing.T) {
	titles := regexp.MustCompile(`(?m)^(Usage|Examples|Flags|Input|What a plan assumes|Waiting|Flags of kubectl):$`)
	groups := map[string]bool{}
	for _, c := range newRoot(new(command.Environment), kube.Cluster{Flags: new(kube.Flags)}).Commands() {
		if !c.HasExample() {
			continue
		}
		got := ran(t, c.Name(), "--help")
		at, order := -1, []string{"Usage", "Examples", "Flags", "Input", "What a plan assumes", "Waiting", "Flags of kubectl"}
		for _, found := range titles.FindAllStringSubmatch(got.stdout, -1) {
			next := slices.Index(order, found[1])
			if next <= at {
				t.Errorf("%s: %s is out of order", c.Name(), found[1])
			}
			at, groups[found[1]] = next, true
		}
		if first, _, _ := strings.Cut(got.stdout, "\nUsage:\n"); strings.Count(first, "\n") > 4 || !strings.Contains(got.stdout, "\nExamples:\n") {
			t.Errorf("%s: usage comes after\n%s", c.Name(), first)
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if n := len(regexp.MustCompile(`(?m)^ +(-\w, )?--`+f.Name+`\b[^-]`).FindAllString(got.stdout, -1)); n != 1 && !f.Hidden {
				t.Errorf("%s: --%s is there %d times", c.Name(), f.Name, n)
			}
		})
	}
	if len(groups) != 7 {
		t.Errorf("no command has some of the groups: %v", groups)
	}
}
