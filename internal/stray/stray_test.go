package stray_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/internal/stray"
)

var places = []stray.Place{
	stray.Root, stray.Metadata, stray.Spec, stray.Disruption, stray.Budget, stray.Template, stray.TemplateMetadata, stray.TemplateSpec,
}

// letters are those that a typo may put into a name.
var letters = rapid.SampledFrom([]rune("abcdefghijklmnopqrstuvwxyzABCXYZ"))

// typo returns a name with one mistake.
func typo(t *rapid.T, name string) string {
	runes := []rune(name)
	at := rapid.IntRange(0, len(runes)-1).Draw(t, "at")
	switch rapid.SampledFrom([]string{"missing", "extra", "other", "swapped", "case", "blank before", "blank after"}).Draw(t, "mistake") {
	case "missing":
		return string(slices.Delete(runes, at, at+1))
	case "extra":
		return string(slices.Insert(runes, at, letters.Draw(t, "letter")))
	case "other":
		runes[at] = letters.Draw(t, "letter")
	case "swapped":
		if at > 0 {
			runes[at], runes[at-1] = runes[at-1], runes[at]
		}
	case "case":
		if unicode.IsUpper(runes[at]) {
			runes[at] = unicode.ToLower(runes[at])
		} else {
			runes[at] = unicode.ToUpper(runes[at])
		}
	case "blank before":
		return " " + name
	case "blank after":
		return name + " "
	}
	return string(runes)
}

func TestATypoInAnyFieldIsRecognised(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.SampledFrom(places).Draw(t, "place")
		field := rapid.SampledFrom(stray.Known(at)).Draw(t, "field")
		name := typo(t, field)
		if slices.Contains(stray.Known(at), name) {
			t.Skip("no typo")
		}
		if got := stray.Message(at, name, nil); !strings.HasSuffix(got, ": write "+field) {
			t.Errorf("%q: %s", name, got)
		}
	})
}

func TestAFieldInAnotherPlaceIsReportedWithTheRightOne(t *testing.T) {
	for _, c := range []struct {
		field string
		home  stray.Place
	}{
		{"disruption", stray.Spec},
		{"distruption", stray.Spec},
		{"weight", stray.Spec},
		{"budgets", stray.Disruption},
		{"consolidateAfter", stray.Disruption},
		{"consolidationPolicy", stray.Disruption},
		{"expireAfter", stray.TemplateSpec},
		{"terminationGracePeriod", stray.TemplateSpec},
		{"nodes", stray.Budget},
		{"schedule", stray.Budget},
	} {
		for _, at := range places {
			if at == c.home || at == stray.Disruption && c.field == "expireAfter" {
				continue
			}
			if got := stray.Message(at, c.field, nil); !strings.Contains(got, ": write ") || !strings.HasSuffix(got, " under "+string(c.home)) {
				t.Errorf("%s in %q: %s", c.field, at, got)
			}
		}
	}
}

func TestWordsFromElsewhereAreUnderstood(t *testing.T) {
	for _, c := range []struct {
		at         stray.Place
		name, want string
	}{
		{stray.Budget, "timezone", "the budget has no schedule for which a time zone would matter"},
		{stray.Budget, "maxUnavailable", "write nodes"},
		{stray.Budget, "minAvailable", "write nodes, which says how many may be disrupted at once, not how many have to stay"},
		{stray.Budget, "crontab", "write schedule"},
		{stray.Budget, "action", `write reasons, such as ["Drifted"]`},
		{stray.Budget, "reason", "write reasons"},
		{stray.Budget, "period", "write duration"},
		{stray.Disruption, "drift", "the annotation disruptkit.dev/disruption supports it"},
		{stray.Disruption, "expireAfter", "write it under spec.template.spec, its place since karpenter.sh/v1; until then, the default of 720h applies"},
		{stray.TemplateSpec, "kubelet", "write it in the NodeClass"},
		{stray.Spec, "ttlSecondsAfterEmpty", "write consolidateAfter under spec.disruption"},
	} {
		if got := stray.Message(c.at, c.name, nil); !strings.Contains(got, "at best with a warning: "+c.want) {
			t.Errorf("%s in %s: %s", c.name, c.at, got)
		}
	}
}

// Whoever wrote the field may have meant a freeze. Nothing that is said of it is content with losing it.
func TestNoAdviceIsToDeleteWhatMayBeAFreeze(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.SampledFrom(places).Draw(t, "place")
		name := rapid.String().Draw(t, "name")
		siblings := rapid.SliceOf(rapid.SampledFrom([]string{"schedule", "nodes", "duration", "reasons"})).Draw(t, "siblings")
		got := stray.Message(at, name, siblings)
		for _, both := range []string{"kubectl apply refuses it", "drops it, at best with a warning: "} {
			if !strings.Contains(got, both) {
				t.Errorf("%q: %s", name, got)
			}
		}
		_, advice, _ := strings.Cut(got, "at best with a warning: ")
		if strings.Contains(advice, "delete") || advice == "" {
			t.Errorf("%q: %s", name, got)
		}
	})
}
