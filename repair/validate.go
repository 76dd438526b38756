package repair

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

const (
	mostPriority = 100
	listField    = "policies" // of a list, in warnings
)

// A checker collects the faults of one policy. Its rules are those of Karpenter's newRepairPolicyMatcher.
type checker struct {
	Policy
	index    int
	warnings []candidate.Warning
}

func (c *checker) fault(field, value, format string, args ...any) {
	c.warnings = append(c.warnings, warning(place(c.index)+"."+field, value, format, args...))
}

func place(index int) string { return fmt.Sprintf("%s[%d]", listField, index) }

// codeInvalidPolicy is the code of an invalid repair policy: nothing is repaired. It is stable.
const codeInvalidPolicy candidate.Code = "invalid-policy"

func warning(field, value, format string, args ...any) candidate.Warning {
	return candidate.Warning{Code: codeInvalidPolicy, Field: field, Value: value,
		Message: fmt.Sprintf(format, args...)}
}

// check checks all fields, and returns the compiled expression, if any.
func (c *checker) check() *regexp.Regexp {
	if c.ConditionType == "" {
		c.fault("conditionType", "", `conditionType is empty: write the type of a node condition, such as "Ready"`)
	}
	c.oneOf("conditionStatus", c.ConditionStatus, "False", "Unknown", "True")
	reason := c.expression()
	c.notNegative("tolerationDuration", c.TolerationDuration, "0s to repair at once")
	if bound := c.TerminationGracePeriod; bound != nil {
		c.notNegative("terminationGracePeriod", *bound, "0s for no drain")
	}
	if c.Priority < 0 || c.Priority > mostPriority {
		c.fault("priority", strconv.Itoa(c.Priority), "priority %d is out of range: write 0 to %d",
			c.Priority, mostPriority)
	}
	c.oneOf("action", string(c.Action), string(Replace), string(Reboot))
	return reason
}

// oneOf rejects a value that is not one of the words, and suggests the word that it may mean.
func (c *checker) oneOf(field, value string, words ...string) {
	if slices.Contains(words, value) {
		return
	}
	meant := strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
	for _, word := range words {
		if value != "" && len(value) <= len(word) && strings.EqualFold(value, word[:len(value)]) {
			meant = word
			break
		}
	}
	c.fault(field, value, "%s %.100q is unknown: write %s", field, value, meant)
}

func (c *checker) expression() *regexp.Regexp {
	if c.ReasonRegex == "" {
		return nil
	}
	reason, err := regexp.Compile(c.ReasonRegex)
	if err != nil {
		c.fault("reasonRegex", c.ReasonRegex, "reasonRegex %.100q is not a regular expression in Go's syntax (%s): "+
			"write one such as ^Kubelet, or .* for every reason",
			c.ReasonRegex, what(err))
	}
	return reason
}

// what returns what is wrong with an expression, without the expression, which the caller quotes.
func what(err error) string {
	if e, ok := err.(*syntax.Error); ok {
		return e.Code.String()
	}
	return err.Error()
}

func (c *checker) notNegative(field string, d time.Duration, least string) {
	if d < 0 {
		text := wording.Duration(d)
		c.fault(field, text, "%s %s is negative: write %s, or a time such as 30m", field, text, least)
	}
}

// checkFallback checks a policy without an expression. Others has the indices of earlier ones.
func (c *checker) checkFallback(others []int) {
	if len(others) > 0 {
		c.fault("reasonRegex", "", "there is no reasonRegex, and there is none in %s: "+
			"only one policy is the fallback for all conditions. Write .* for every reason of this one",
			place(others[0]))
	}
	if c.Action == Reboot {
		c.fault("action", string(c.Action), "action %q does not suit the fallback, which must be sure to help: "+
			"write %s, or a reasonRegex", c.Action, Replace)
	}
}

// noFallback is the fault of a list in which every policy has an expression.
func noFallback(policies int) candidate.Warning {
	if policies == 0 {
		return warning(listField, "",
			"there are no repair policies: write at least one, with no reasonRegex and with action %s", Replace)
	}
	return warning(listField, "", "each policy has a reasonRegex: leave it out in exactly one, with action %s, "+
		"which is for every reason that none matches", Replace)
}
