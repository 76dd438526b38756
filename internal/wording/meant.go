package wording

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// odd are characters that word processors and chats put in the place of plain ones.
var odd = []struct{ chars, plain, name string }{
	{"“”„‟″", "", "typographic quotes"}, {"‘’‚′", "", "typographic quotes"},
	{"–", "-", "an en dash"}, {"—−", "-", "a long dash"}, {"∗＊", "*", "a typographic asterisk"},
	{"\u00a0\u202f\u2009", " ", "a no-break space"}, {"％", "%", "a wide percent sign"},
}

// Plain returns a text with plain characters in the place of typographic ones, and a name of the first kind of these,
// or "".
func Plain(text string) (plain, what string) {
	for _, o := range odd {
		for _, c := range o.chars {
			if strings.ContainsRune(text, c) {
				text = strings.ReplaceAll(text, string(c), o.plain)
				if what == "" {
					what = o.name
				}
			}
		}
	}
	return text, what
}

// Typographic says ", since it has an en dash", or "".
func Typographic(text string) string {
	if _, what := Plain(text); what != "" {
		return ", since it has " + what
	}
	return ""
}

var (
	paddedPattern = regexp.MustCompile(`^"?\s*(100|[0-9]{1,2})\s*%\s*"?$|^"?\s*([0-9]+)(?:\.0)?\s*"?$`)
	partPattern   = regexp.MustCompile(`(?i)([0-9]+(?:\.[0-9]+)?)\s*(weeks?|days?|hours?|hrs?|minutes?|mins?|w|d|h|m)`)
)

// MeantNodes returns the count or percentage that a text is meant to be, such as 10% for "10 %", or "".
func MeantNodes(text string) string {
	plain, _ := Plain(text)
	m := paddedPattern.FindStringSubmatch(plain)
	switch {
	case m == nil:
		return ""
	case m[1] != "":
		return m[1] + "%"
	}
	return m[2]
}

// MeantDuration returns the duration in hours and minutes that a text is meant to be, such as 216h for "9d", 8h30m for
// "8.5h" and for "PT8H30M", or "".
func MeantDuration(text string) string {
	plain, _ := Plain(text)
	plain = strings.Trim(strings.TrimSpace(plain), `"`)
	if iso, found := strings.CutPrefix(strings.ToUpper(plain), "P"); found {
		plain = strings.Replace(iso, "T", "", 1)
	}
	if strings.TrimSpace(partPattern.ReplaceAllString(plain, "")) != "" {
		return ""
	}
	minutes := map[byte]float64{'w': 7 * 24 * 60, 'd': 24 * 60, 'h': 60, 'm': 1}
	sum := 0.0
	for _, m := range partPattern.FindAllStringSubmatch(plain, -1) {
		n, _ := strconv.ParseFloat(m[1], 64) // it matches
		sum += n * minutes[strings.ToLower(m[2])[0]]
	}
	if sum < 1 || sum != float64(int(sum)) || sum > 1e6 {
		return ""
	}
	return Duration(time.Duration(sum) * time.Minute)
}

// Quoted returns a text in quotes, or "" for "".
func Quoted(text string) string {
	if text == "" {
		return ""
	}
	return fmt.Sprintf("%q", text)
}
