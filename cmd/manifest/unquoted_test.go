package manifest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

const headed = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: web}\nspec:\n  disruption:\n    budgets:\n" // six lines

func TestTheErrorOfYAMLThatLacksQuotesNamesWhatToQuote(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"    - schedule: @daily\n", `7: document 1: not valid YAML: line 7: YAML reserves "@" at the beginning of a value: quote it: '@daily'`},
		{"    - nodes: 1\n      schedule: @daily # at night\n      duration: 8h\n", `8: document 1: not valid YAML: line 8: YAML reserves "@" at the beginning of a value: quote it: '@daily'`},
		{"    - schedule: * * * * *\n", `7: document 1: not valid YAML: line 7: YAML reserves "*" at the beginning of a value: quote it: '* * * * *'`},
		{"    - schedule: */5 9 * * mon\r\n      duration: 8h\r\n", `7: document 1: not valid YAML: line 7: YAML reserves "*" at the beginning of a value: quote it: '*/5 9 * * mon'`},
		{"    - {nodes: 1, schedule: @daily, duration: 8h}\n", `7: document 1: not valid YAML: line 7: YAML reserves "@" at the beginning of a value: quote it: '@daily'`},
		{"    - {nodes: 1, schedule: * 9 * * *}\n", `7: document 1: not valid YAML: line 7: YAML reserves "*" at the beginning of a value: quote it: '* 9 * * *'`},
		{"    - nodes: %10\n", `7: document 1: not valid YAML: line 7: YAML reserves "%" at the beginning of a value: quote it: '%10'`},
		{"    - nodes: `it's`\n", "7: document 1: not valid YAML: line 7: YAML reserves \"`\" at the beginning of a value: quote it: '`it''s`'"},
	} {
		for _, before := range []int{0, 3} {
			want := test.want
			if before > 0 {
				want = strings.NewReplacer("document 1", "document 2", "7: ", "11: ", "8: ", "12: ", "line 7", "line 11", "line 8", "line 12").Replace(want)
			}
			got := faultsOf(readPools(t, strings.Repeat("a: 1\n", min(before, 1))+strings.Repeat("# more\n", max(0, before-1))+
				strings.Repeat("---\n", min(before, 1))+headed+test.text))
			if len(got) != 1 || got[0] != "dir/pools.yaml:"+want {
				t.Errorf("after %d: got %q\nwant %s", before, got, want)
			}
		}
	}
}

// What is quoted as told can be read.
func TestWhatAnErrorNamesToQuoteIsValidInQuotes(t *testing.T) {
	for _, value := range []string{"@daily", "* * * * *", "*/5 9 * * mon", "%10", "`x`", "@it's"} {
		got := faultsOf(readPools(t, headed+"    - schedule: "+value+"\n"))
		_, quoted, told := strings.Cut(strings.Join(got, ""), "quote it: ")
		p := readPools(t, headed+"    - schedule: "+quoted+"\n").Pools
		if !told || len(p) != 1 || p[0].Spec.Budgets[0].Schedule != value {
			t.Errorf("%s: %q, then %+v", value, got, p)
		}
	}
}

func TestOtherFaultsOfYAMLSayNothingOfQuotes(t *testing.T) {
	for _, text := range []string{"    - nodes: 'x\n", "    - nodes: 1\n   x: @daily\n", "    - note: a: b @daily\n", "    - &\n"} {
		if got := faultsOf(readPools(t, headed+text)); len(got) != 1 || strings.Contains(got[0], "quote it") {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestTheErrorOfTemplatesSaysToRenderThemFirst(t *testing.T) {
	for rule, text := range map[string]string{
		"an expression that is no YAML": headed + "    {{- toYaml .Values.budgets | nindent 4 }}\n",
		"an expression as a value":      headed + "    - nodes: {{ .Values.nodes }}\n",
		"a condition":                   "{{- if .Values.enabled }}\n" + headed + "    - nodes: \"1\"\n{{- end }}\n",
		"an expression in quotes":       headed + "    - nodes: \"{{ .Values.nodes }}\"\n",
		"a variable":                    headed + "    - nodes: ${NODES}\n",
		"a variable in a schedule":      headed + "    - {schedule: \"${CRON:=@daily}\", duration: 8h}\n",
	} {
		f, err := manifest.Policy{As: engine.Karpenter}.ReadPools("a.yaml", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(faultsOf(f), "\n"); strings.Count(got, "render it first, such as with helm template") != 1 {
			t.Errorf("%s: %s", rule, got)
		}
	}
	if got := faultsOf(readPools(t, headed+"    - 'x\n")); strings.Contains(fmt.Sprint(got), "template") {
		t.Errorf("no template: %q", got)
	}
}
