package choose_test

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/choose"
)

// claims are those of three nodes. The second has the name of another node.
func claims(name string) (node string, known bool) {
	all := map[string]string{"web-x7": "ip-10", "ip-1": "ip-10", "gone": "ip-9"}
	node, known = all[strings.TrimPrefix(name, "nodeclaim/")]
	return node, known
}

func TestANodeIsChosenByANameOrAPartOfIt(t *testing.T) {
	nodes := []candidate.Node{{Name: "ip-1", Pool: "web"}, {Name: "ip-10", Pool: "web"}, {Name: "ip-2", Pool: "batch"}, {Name: "lone"}}
	for _, c := range []struct{ name, written, want, fault string }{
		{"a name", "ip-2", "ip-2", ""},
		{"a part of one name is enough", "-10", "ip-10", ""},
		{"a full name comes before parts of others", "node/ip-1", "ip-1", ""},
		{"a NodeClaim", "nodeclaim/web-x7", "ip-10", ""},
		{"a node is chosen before a NodeClaim", "ip-1", "ip-1", ""},
		{"a NodeClaim whose node is not there", "gone", "", `there is no node "ip-9" among the 4 of the input`},
		{"a node of no pool", "lone", "lone", ""},
		{"a node that is not there", "x", "", `there is no node "x" among the 4 of the input`},
		{"a part of several names", "ip", "", `no node is called "ip", and it is a part of several names: ip-1, ip-10, ip-2`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := choose.Node(nodes, c.written, claims)
			switch {
			case c.fault != "" && (err == nil || err.Error() != c.fault):
				t.Errorf("%v", err)
			case c.fault == "" && (err != nil || got.Name != c.want):
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

// As kubectl, it takes a kind before a name.
func TestAPoolIsOneThatThereIs(t *testing.T) {
	names := []string{"web", "batch", "c", "d", "e", "f"}
	for written, want := range map[string]string{
		"": "", "web": "", "nodepool/web": "", "wb": `--pool: there is no NodePool "wb": there are batch, c, d, e, f, and 1 more`,
	} {
		pool := ""
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		choose.PoolFlag(flags, &pool, "one")
		if err := flags.Parse([]string{"--pool", written}); err != nil {
			t.Fatal(err)
		}
		fault := ""
		if err := choose.Pool(pool, names); err != nil {
			fault = err.Error()
		}
		if fault != want || pool != strings.TrimPrefix(written, "nodepool/") {
			t.Errorf("%q: %q, %q", written, pool, fault)
		}
	}
	if err := choose.Pool("x", nil); err == nil || err.Error() != `--pool: there is no NodePool "x", or any other` {
		t.Error(err)
	}
}
