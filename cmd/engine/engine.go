// Package engine selects the autoscaler that a program answers for: stock Karpenter, Karpenter with disruptkit's guard or
// its steward, or one that embeds disruptkit.
package engine

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/disruptkit/disruptkit/dialect"
)

// An Engine is an autoscaler that disrupts nodes. The zero Engine is Disruptkit.
type Engine int

const (
	Disruptkit Engine = iota // embeds disruptkit, with all features of the RFCs
	Karpenter                // stock Karpenter, without them
	Guard                    // Karpenter with disruptkit's guard, which reads annotations and only tightens
	Steward                  // Karpenter with disruptkit's steward beside it, which reads them as well
)

// All are the engines in the order of messages.
var All = []Engine{Karpenter, Guard, Steward, Disruptkit}

// engines has the names of engines, and what they are called within a sentence.
var engines = map[Engine]struct{ name, phrase string }{
	Disruptkit: {"disruptkit", "an autoscaler that embeds disruptkit"},
	Karpenter:  {"karpenter", dialect.Karpenter.String() + ", without a guard"},
	Guard:      {"guard", dialect.Karpenter.String() + " with disruptkit's guard"},
	Steward:    {"steward", dialect.Karpenter.String() + " with disruptkit's steward"},
}

// help is the text of programs' help for the flag.
const help = "the engine to answer for: karpenter, guard, steward or disruptkit. Stock Karpenter v1.15 has no budgets for zones, no time " +
	"zones, probes, per-method controls or schedules of pods. The guard, which wraps Karpenter, reads the annotations " +
	"disruptkit.dev/* of NodePools, and never allows more nodes than Karpenter does. The steward, which runs beside an " +
	"unchanged Karpenter, does the same, and allows a node only if it may be disrupted for each of its reasons. disruptkit is an " +
	"autoscaler of your own that embeds it"

// Flag adds the flag --engine, and makes Karpenter the default.
func (e *Engine) Flag(flags *pflag.FlagSet) {
	*e = Karpenter
	flags.Var(e, "engine", help)
}

// Type names the value of the flag.
func (e Engine) Type() string { return "name" }

// Completions are the values that the flag may have.
func (e Engine) Completions() (names []string) {
	for _, e := range All {
		names = append(names, e.String())
	}
	return names
}

// Set reads the value of the flag.
func (e *Engine) Set(text string) error {
	for engine, known := range engines {
		if text == known.name {
			*e = engine
			return nil
		}
	}
	return fmt.Errorf("%q is unknown: write karpenter, guard, steward or disruptkit", text)
}

// String returns the value of the flag.
func (e Engine) String() string { return engines[e].name }

// MarshalText returns the value of the flag.
func (e Engine) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// Name returns the name of the engine for people.
func (e Engine) Name() string {
	if e == Karpenter {
		return dialect.Karpenter.String()
	}
	return e.String()
}

// Title returns the first line of a program's output.
func (e Engine) Title() string { return fmt.Sprintf("For %s (--engine %s).", e.Phrase(), e) }

// Phrase describes the engine within a sentence.
func (e Engine) Phrase() string { return engines[e].phrase }

// Dialect returns the dialect in which the engine reads objects.
func (e Engine) Dialect() dialect.Dialect {
	if e == Karpenter {
		return dialect.Karpenter
	}
	return dialect.Disruptkit
}

// Annotated reports whether the engine reads the annotations of NodePools, beside what Karpenter does.
func (e Engine) Annotated() bool { return e == Guard || e == Steward }

// Compared returns the engines that an answer for e is compared with, e included. The steward takes the guard's place, since they read the
// same.
func (e Engine) Compared() []Engine {
	if e == Steward {
		return []Engine{Karpenter, Steward, Disruptkit}
	}
	return []Engine{Karpenter, Guard, Disruptkit}
}

// Numbers describes how many nodes each engine allows that an answer for own is compared with: "Karpenter v1.15: 3, guard and disruptkit: 0 (why)". It also reports
// whether the numbers differ.
func Numbers(own Engine, number func(Engine) (n, why string)) (text string, differ bool) {
	var who, what []string
	var first, said string
	for i, e := range own.Compared() {
		n, why := number(e)
		if i == 0 {
			first = n
		}
		differ = differ || n != first
		if why != "" {
			n += " (" + why + ")"
		}
		if last := len(who) - 1; last >= 0 && n == said {
			who[last] += " and " + e.Name()
			continue
		}
		who, what, said = append(who, e.Name()), append(what, n), n
	}
	for i := range who {
		who[i] += ": " + what[i]
	}
	return strings.Join(who, ", "), differ
}
