package choose_test

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/choose"
)

// claims are those of three nodes. The second has the name of another node.
func claims(name string) (node string, known bool) {
	all := map[string]string{"web-x7": "ip-10", "ip-1": "ip-10", "gone": "ip-9"}
	node, known = all[strings.TrimPrefix(name, "nodeclaim/")]
	return node, known
}

func TestAChoiceIsOfWhatThereIs(t *testing.T) {
	in := disruptkit.Input{
		Pools: []disruptkit.Pool{{Name: "web"}, {Name: "batch"}, {Name: "c"}, {Name: "d"}, {Name: "e"}, {Name: "f"}},
		Nodes: []candidate.Node{{Name: "ip-1", Pool: "web"}, {Name: "ip-10", Pool: "web"}, {Name: "ip-2", Pool: "batch"}, {Name: "lone"}},
	}
	for _, c := range []struct {
		name    string
		written choose.Choice
		want    choose.Choice
		fault   string
	}{
		{"nothing is everything", choose.Choice{}, choose.Choice{}, ""},
		{"a pool", choose.Choice{Pool: "web"}, choose.Choice{Pool: "web"}, ""},
		{"a node is of its pool", choose.Choice{Node: "ip-2"}, choose.Choice{Pool: "batch", Node: "ip-2"}, ""},
		{"a part of one name is enough", choose.Choice{Node: "-10"}, choose.Choice{Pool: "web", Node: "ip-10"}, ""},
		{"a full name comes before parts of others", choose.Choice{Node: "node/ip-1"}, choose.Choice{Pool: "web", Node: "ip-1"}, ""},
		{"a NodeClaim", choose.Choice{Node: "nodeclaim/web-x7"}, choose.Choice{Pool: "web", Node: "ip-10"}, ""},
		{"a node is chosen before a NodeClaim", choose.Choice{Node: "ip-1"}, choose.Choice{Pool: "web", Node: "ip-1"}, ""},
		{"a NodeClaim whose node is not there", choose.Choice{Node: "gone"}, choose.Choice{}, `--node: there is no node "ip-9" among the 4 of the input`},
		{"a node of no pool", choose.Choice{Node: "lone"}, choose.Choice{Node: "lone"}, ""},
		{"a pool that is not there", choose.Choice{Pool: "wb"}, choose.Choice{}, `--pool: there is no NodePool "wb": there are batch, c, d, e, f, and 1 more`},
		{"a node that is not there", choose.Choice{Node: "x"}, choose.Choice{}, `--node: there is no node "x" among the 4 of the input`},
		{"a part of several names", choose.Choice{Node: "ip"}, choose.Choice{}, `--node: no node is called "ip", and it is a part of several names: ip-1, ip-10, ip-2`},
		{"a node of another pool", choose.Choice{Pool: "web", Node: "ip-2"}, choose.Choice{}, "--node ip-2 belongs to NodePool batch, and --pool is web"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.written.In(in, claims)
			switch {
			case c.fault != "" && (err == nil || err.Error() != c.fault):
				t.Errorf("%v", err)
			case c.fault == "" && (err != nil || got != c.want):
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	if _, err := (choose.Choice{Pool: "x"}).In(disruptkit.Input{}, claims); err == nil || err.Error() != `--pool: there is no NodePool "x", or any other` {
		t.Error(err)
	}
}

// As kubectl, it takes a kind before a name.
func TestTheFlagsMaySayOfWhichKindANameIs(t *testing.T) {
	var c choose.Choice
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	c.Flags(flags, "")
	if err := flags.Parse([]string{"--pool", "nodepool/web", "--node", "node/ip-10"}); err != nil {
		t.Fatal(err)
	}
	in := disruptkit.Input{Pools: []disruptkit.Pool{{Name: "web"}}, Nodes: []candidate.Node{{Name: "ip-10", Pool: "web"}}}
	for written, want := range map[choose.Choice]choose.Choice{c: {Pool: "web", Node: "ip-10"}, {Pool: c.Pool}: {Pool: "web"}} {
		if got, err := written.In(in, claims); err != nil || got != want {
			t.Errorf("%+v: %+v, %v", written, got, err)
		}
	}
}

func TestWhatIsChosen(t *testing.T) {
	for _, c := range []struct {
		choice     choose.Choice
		pool, node bool
	}{
		{choose.Choice{}, true, true}, {choose.Choice{Pool: "p"}, true, true}, {choose.Choice{Pool: "q"}, false, false},
		{choose.Choice{Pool: "p", Node: "n"}, true, true}, {choose.Choice{Pool: "p", Node: "m"}, true, false}, {choose.Choice{Node: "m"}, false, false},
	} {
		if c.choice.HasPool("p") != c.pool || c.choice.HasNode("p", "n") != c.node {
			t.Errorf("%+v: %t, %t", c.choice, c.choice.HasPool("p"), c.choice.HasNode("p", "n"))
		}
	}
}
