package decide

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/topology"
)

const (
	zoneKey    = "topology.kubernetes.io/zone"
	oneZone    = `{"nodes":"1","topologyKey":"topology.kubernetes.io/zone","sequential":true}`
	rollInA    = `{"roll":{"key":"topology.kubernetes.io/zone","domain":"a"}}`
	storeRoll  = "BEFORE YOU DRAIN BY THIS, STORE THE MEMORY"
	titleOfOne = "p, budgets[0]: 1 per topology.kubernetes.io/zone, one at a time"
)

// zonal prints a pool p with budgets, its memory as it is annotated, and its nodes. They are Ready unless the sign after
// their name says otherwise: drifted (*), not Ready (?), in flight for drift (!) or for another reason (~), its instance
// is terminating for drift (^), or it has not joined yet (-), though it has drifted (+). Names are a letter, which is the
// zone (_ is none), and a digit.
func zonal(budgets, memory, names string) string {
	annotations := ""
	if memory != "" {
		annotations = fmt.Sprintf(`,"annotations":{"disruptkit.dev/memory":%q}`, memory)
	}
	items := []string{fmt.Sprintf(`{"apiVersion":"karpenter.sh/v1","kind":"NodePool","metadata":{"name":"p"%s},"spec":{"disruption":{"budgets":[%s]}}}`, annotations, budgets)}
	for i, name := range strings.Fields(names) {
		name, sign := name[:2], name[2:]
		items = append(items, zonalClaim(name, sign, i))
		if sign != "-" && sign != "+" {
			items = append(items, zonalNode(name, sign))
		}
	}
	return strings.Join(items, "\n") + noPods + noPDBs
}

func zonalClaim(name, sign string, age int) string {
	condition := func(kind, reason string) string {
		return fmt.Sprintf(`{"type":%q,"reason":%q,"status":"True","lastTransitionTime":"2026-11-18T06:%02d:00Z"}`, kind, reason, age)
	}
	deleted := ""
	if strings.ContainsAny(sign, "!~^") {
		deleted = `,"deletionTimestamp":"2026-11-20T10:00:00Z"`
	}
	conditions := map[string]string{
		"+": condition("Drifted", "AMIDrift"),
		"*": condition("Drifted", "AMIDrift"),
		"!": condition("DisruptionReason", "Drifted"),
		"~": condition("DisruptionReason", "Underutilized"),
		"^": condition("DisruptionReason", "Drifted") + "," + condition("InstanceTerminating", "InstanceTerminating"),
	}
	return fmt.Sprintf(`{"apiVersion":"karpenter.sh/v1","kind":"NodeClaim","metadata":{"name":"claim-%s","labels":{"karpenter.sh/nodepool":"p"}%s},`+
		`"status":{"nodeName":%[1]q,"conditions":[%[3]s]}}`, name, deleted, conditions[sign])
}

func zonalNode(name, sign string) string {
	zone, ready := "", "True"
	if name[0] != '_' {
		zone = fmt.Sprintf(`,%q:%q`, zoneKey, name[:1])
	}
	if sign == "?" {
		ready = "False"
	}
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"Node","metadata":{"name":%q,"labels":`+
		`{"karpenter.sh/nodepool":"p","karpenter.sh/registered":"true","karpenter.sh/initialized":"true"%s}},`+
		`"status":{"conditions":[{"type":"Ready","status":%q,"lastTransitionTime":"2026-11-01T00:00:00Z"}]}}`, name, zone, ready)
}

func TestZonesAndWhoseTurnItIs(t *testing.T) {
	for _, test := range []struct {
		rule                   string
		budgets, memory, nodes string
		want                   string
	}{
		{
			"a new roll starts where a node has drifted for longest", oneZone, "", "b1* b2 a1*", titleOfOne + `
ZONE  NODES  LIMIT  IN FLIGHT  LEFT  TO GO  TURN
a         1      1          0     1      1  later
b         2      1          0     1      1  now

` + storeRoll + `
kubectl annotate --overwrite nodepool p \
  disruptkit.dev/memory='{"roll":{"key":"topology.kubernetes.io/zone","domain":"b"}}'
`},
		{
			"a roll stays where it is, and needs no storing", oneZone, rollInA, "b1* a1! a2*", titleOfOne + `
ZONE  NODES  LIMIT  IN FLIGHT  LEFT  TO GO  TURN
a         2      1          1     0      1  now
b         1      1          0     1      1  later
`},
		{
			"what is in flight elsewhere comes first", oneZone, rollInA, "a1* b1!", titleOfOne + `
ZONE  NODES  LIMIT  IN FLIGHT  LEFT  TO GO  TURN
a         1      1          0     1      1  now, after b
b         1      1          1     0      0  finishes first
`},
		{
			"a zone that is held up gives way, and since when it is has to be stored", oneZone, rollInA, "a1* a2~ b1*", titleOfOne + `
ZONE  NODES  LIMIT  IN FLIGHT  LEFT  TO GO  TURN
a         2      1          1     0      1  now, gives way by Fri 10:45 (in 15m)
b         1      1          0     1      1  later

` + storeRoll + `
kubectl annotate --overwrite nodepool p \
  disruptkit.dev/memory='{"roll":{"key":"topology.kubernetes.io/zone","domain":"a","idleSince":"2026-11-20T10:30:00Z"}}'
`},
		{
			"a new node has to be Ready first", oneZone,
			`{"roll":{"key":"topology.kubernetes.io/zone","domain":"a","idleSince":"2026-11-20T10:20:00Z"}}`, "a1? b1*", titleOfOne + `
ZONE  NODES  LIMIT  IN FLIGHT  LEFT  TO GO  TURN
a         1      1          0     1      0  now, until it has settled
b         1      1          0     1      1  later
`},
		{
			"a roll that is over is removed", oneZone, rollInA, "a1 b1", titleOfOne + `
ZONE  NODES  LIMIT  IN FLIGHT  LEFT  TO GO
a         1      1          0     1      0
b         1      1          0     1      0

` + storeRoll + `
kubectl annotate nodepool p disruptkit.dev/memory-
`},
		{
			"nodes without the label take turns like a zone", oneZone, "", "_1* a1", titleOfOne + `
ZONE        NODES  LIMIT  IN FLIGHT  LEFT  TO GO  TURN
(no label)      1      1          0     1      1  now
a               1      1          0     1      0  -

` + storeRoll + `
kubectl annotate --overwrite nodepool p \
  disruptkit.dev/memory='{"roll":{"key":"topology.kubernetes.io/zone","domain":""}}'
`},
		{
			"without turns, each zone has the limit on its own", `{"nodes":"50%","topologyKey":"topology.kubernetes.io/zone"}`, "", "a1* a2* a3! b1*", `
p, budgets[0]: 50% per topology.kubernetes.io/zone
ZONE  NODES  LIMIT  IN FLIGHT  LEFT  TO GO
a         3      2          1     1      2
b         1      1          0     1      1
`},
		{
			"a table for each budget that is active", `{"nodes":"5"},` + oneZone + `,{"nodes":"2","topologyKey":"karpenter.sh/nodepool","reasons":["Drifted"]},` +
				`{"nodes":"0","topologyKey":"topology.kubernetes.io/zone","reasons":["Empty"]},{"nodes":"0","topologyKey":"topology.kubernetes.io/zone","schedule":"0 0 1 1 *","duration":"1h"}`, rollInA, "a1*", `
p, budgets[1]: 1 per topology.kubernetes.io/zone, one at a time
ZONE  NODES  LIMIT  IN FLIGHT  LEFT  TO GO  TURN
a         1      1          0     1      1  now

p, budgets[2]: 2 per karpenter.sh/nodepool (Drifted)
NODEPOOL  NODES  LIMIT  IN FLIGHT  LEFT  TO GO
p             1      2          0     2      1
`},
		{
			"of many zones only those where something happens", oneZone, rollInA, "a1* b1 c1 d1! e1 f1 g1 h1 i1 j1 k1 l1 m1", titleOfOne + `
ZONE  NODES  LIMIT  IN FLIGHT  LEFT  TO GO  TURN
a         1      1          0     1      1  now, after d
d         1      1          1     0      0  finishes first
and 11 where nothing is in flight or to go
`},
	} {
		t.Run(test.rule, func(t *testing.T) {
			got := decided(zonal(test.budgets, test.memory, test.nodes), "-f", "-", "--reason", "Drifted", "--now", "2026-11-20T10:30:00Z")
			if warned := strings.Contains(got.stderr, `1 of 2 nodes have no label "topology.kubernetes.io/zone"`); (got.status != good) != warned {
				t.Errorf("exit status %d: %s", got.status, got.stderr)
			}
			if diff := cmp.Diff(strings.TrimSpace(test.want), strings.TrimSpace(aboutZones(got.stdout))); diff != "" {
				t.Errorf("(-want +got)\n%s\n%s", diff, got.stdout)
			}
		})
	}
}

// The guard and the steward store their memories themselves: who writes them, or deletes them, takes a turn away.
func TestNoAnswerAdvisesToWriteTheMemoryOfAnEngine(t *testing.T) {
	const roll = `{"roll":{"key":"topology.kubernetes.io/zone","domain":"a"}}`
	for _, as := range engine.All {
		for rule, objects := range map[string]string{
			"a turn begins": zonal(oneZone, "", "b1* a1*"),
			"a turn ends":   zonal(oneZone, roll, "b1 a1"),
			"a pause":       strings.Replace(zonal(oneZone, roll, "b1* a1*"), `"annotations":{`, `"annotations":{"disruptkit.dev/pause":"true",`, 1),
		} {
			got := decided(objects, "-f", "-", "--reason", "Drifted", "--now", "2026-11-20T10:30:00Z", "--engine", as.String())
			if tells := strings.Contains(got.stdout, "kubectl annotate"); tells && as != engine.Disruptkit || !tells && as == engine.Disruptkit && rule != "a pause" {
				t.Errorf("%s, for %s: it tells to store the memory: %v\n%s", rule, as, tells, got.stdout)
			}
		}
	}
}

// aboutZones returns the parts of a table that are about zones.
func aboutZones(table string) string {
	var parts []string
	for _, part := range strings.Split(table, "\n\n") {
		if strings.HasPrefix(part, "p, budgets[") || strings.HasPrefix(part, storeRoll) {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "\n\n")
}

func TestTheShellTakesNamesForWhatTheyAre(t *testing.T) {
	for _, test := range []struct{ rule, name, want string }{
		{"an ordinary name", "general-2.x", "general-2.x"},
		{"a space", "my pool", "'my pool'"},
		{"what would be a command", "$(reboot)", "'$(reboot)'"},
		{"a quote", "it's; reboot", `'it'\''s; reboot'`},
		{"nothing", "", "''"},
		{"lines", "a\nb", "'a\nb'"},
	} {
		if got := command.Argument(test.name); got != test.want {
			t.Errorf("%s: got %s, want %s", test.rule, got, test.want)
		}
	}
}

func TestATimeThatCannotBeStoredIsAnError(t *testing.T) {
	roll := topology.Roll{Key: zoneKey, Domain: "a", IdleSince: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)}
	a := answer{cluster: new(manifest.Cluster), decisions: []disruptkit.Decision{{Memory: map[string]disruptkit.Memory{"p": {Roll: roll}}}}}
	for name, print := range map[string]func(io.Writer, answer) error{"table": printTable, "json": printJSON} {
		var b strings.Builder
		if err := print(&b, a); err == nil || b.Len() > 0 {
			t.Errorf("%s: no error (%v), or something was printed: %s", name, err, b.String())
		}
	}
}

// What is to be stored is what the next decision reads: b stays, although a's node has drifted for longer.
func TestTheCommandStoresWhatIsReadAgain(t *testing.T) {
	first := decided(zonal(oneZone, "", "b1* a1* b2*"), "-f", "-", "--reason", "Drifted").stdout
	_, command, _ := strings.Cut(first, storeRoll)
	_, command, _ = strings.Cut(command, "='")
	stored, _, found := strings.Cut(command, "'\n")
	second := decided(zonal(oneZone, stored, "b1 a1* b2*"), "-f", "-", "--reason", "Drifted").stdout
	if !found || !strings.Contains(second, "ALLOWED, IN ORDER  POOL  REASON    SINCE\nb2 ") || strings.Contains(second, storeRoll) {
		t.Errorf("after %s:\n%s", stored, second)
	}
}
