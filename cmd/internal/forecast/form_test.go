package forecast

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// answered fills in a form as far as a test has not, and returns everything that the answer says.
func answered(t *testing.T, f Form) (a FormAnswer, said string) {
	t.Helper()
	if f.As == "" {
		f.As = "karpenter"
	}
	if f.Nodes == "" {
		f.Nodes = "100"
	}
	if f.From == "" {
		f.From = "2026-11-23"
	}
	f.Choice = func(as string) string { return "the " + as + " choice" }
	a, err := f.Answer()
	if err != nil {
		return a, "error: " + err.Error()
	}
	return a, fmt.Sprintf("%v\n%v\n%s\n%s", a.Findings, a.Notes, a.SVG, a.JSON)
}

const annotatedPool = `{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: a, annotations: ` +
	`{disruptkit.dev/disruption: '{"budgets": [{"nodes": "1"}]}'}}, spec: {}}`

func TestAFormNamesItsFieldsAndNoFlags(t *testing.T) {
	var budgets []string
	for b := range 3 {
		var reasons []string
		for i := range 50 {
			reasons = append(reasons, fmt.Sprintf("Drifted/R%dx%d", b, i))
		}
		budgets = append(budgets, fmt.Sprintf(`{nodes: "1", schedule: "*/2 * * * *", duration: 1m, reasons: [%s]}`,
			strings.Join(reasons, ", ")))
	}
	crowded := "budgets: [" + strings.Join(budgets, ", ") + "]"
	flag := regexp.MustCompile(`(^|[ ("'])--?[a-z][a-z-]*`)
	for _, c := range []struct {
		name string
		form Form
		want string
	}{
		{"no text", Form{}, "nothing is written yet"},
		{"comments", Form{Text: "# \n---\n"}, "nothing is written yet"},
		{"no YAML", Form{Text: "budgets: ["}, "text:1"},
		{"no NodePool", Form{Text: "{kind: Pod, apiVersion: v1, metadata: {name: p}}"}, "no readable NodePool"},
		{"a zone that is none", Form{Text: "budgets: []", Zone: "Mars/Olympus"}, `the time zone "Mars/Olympus" is not in`},
		{"a date that is none", Form{Text: "budgets: []", From: "tomorrow"}, `the week from "tomorrow" is not a time`},
		{"a year too far away", Form{Text: "budgets: []", From: "9999-01-01"}, `the week from "9999-01-01" is too far away`},
		{"no number of nodes", Form{Text: "budgets: []", Nodes: "-1"}, `"-1" is not a number of nodes`},
		{"no engine", Form{Text: "budgets: []", As: "x"}, `the engine "x" is unknown`},
		{"an annotation of the guard", Form{Text: annotatedPool}, "choose the guard choice"},
		{"methods", Form{Text: `{budgets: [{nodes: "1", method: Drift}]}`, As: "disruptkit"}, "choose the most-specific choice"},
		{"a calendar", Form{Text: `{budgets: [{nodes: "1", calendar: h}]}`, As: "disruptkit"}, "calendar"},
		{"too many changes", Form{Text: crowded, As: "disruptkit"}, "write fewer budgets"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, said := answered(t, c.form)
			if !strings.Contains(said, c.want) {
				t.Errorf("%q is not there: %.800s", c.want, said)
			}
			for _, word := range flag.FindAllString(said, -1) {
				t.Errorf("it names the flag %s", word)
			}
			if strings.Contains(said, "standard input") {
				t.Error("it speaks of standard input")
			}
		})
	}
}

// A form says what the command says of the same text.
func TestAFormAnswersAsTheCommandDoes(t *testing.T) {
	const text = "budgets:\n- nodes: 10%\n- {nodes: '0', reasons: [Drifted], schedule: 0 17 * * mon-fri, duration: 16h}\n"
	for _, as := range []string{"karpenter", "guard", "disruptkit", "most-specific"} {
		f := Form{Text: text, As: as, Zone: " Europe/Berlin ", JSON: true}
		flags := []string{"--engine", as, "--zone", "Europe/Berlin", "--from", "2026-11-23", "--nodes", "100"}
		if as == "most-specific" {
			flags = append(flags[2:], "--engine", "disruptkit", "--most-specific")
		}
		a, _ := answered(t, f)
		named := strings.NewReplacer("standard input", "text", " (--engine karpenter)", "", " (--engine guard)", "", " (--engine disruptkit)", "")
		for format, got := range map[string]string{"json": a.JSON, "svg": a.SVG} {
			if want := named.Replace(forecasted(text, append(flags, "-o", format, "-")...).stdout); got != want {
				t.Errorf("%s, %s: got\n%.2000s\nwant\n%.2000s", as, format, got, want)
			}
		}
		f.JSON = false
		alone, _ := answered(t, f)
		if alone.JSON != "" || alone.SVG != a.SVG || len(alone.Findings) != len(a.Findings) || alone.Pools != 1 {
			t.Errorf("%s, without JSON: %+v", as, alone)
		}
	}
}

func TestAFormDescribesWhatItCannotReadBesideItsPools(t *testing.T) {
	const pod = "{kind: Pod, apiVersion: v1, metadata: {name: p}}"
	a, _ := answered(t, Form{Text: annotatedPool + "\n---\na: [\n---\n" + pod + "\n"})
	if len(a.Findings) == 0 || a.Findings[0].Code != "unreadable" || a.Findings[0].Places[0].Line != 3 || a.Pools != 1 {
		t.Errorf("%+v", a.Findings)
	}
	if want := "text: objects other than NodePools are skipped: 1"; len(a.Notes) != 1 || a.Notes[0] != want {
		t.Errorf("notes %q, want %q", a.Notes, want)
	}
}
