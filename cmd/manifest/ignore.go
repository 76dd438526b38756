package manifest

import (
	"regexp"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/cmd/annotation"
)

// IgnoreComment is how a comment begins that leaves out findings of its line or, alone on a line, of the next one.
const IgnoreComment = "disruptkit:ignore"

// An Ignore leaves out findings: a comment those of a line, and the annotation [annotation.LintIgnore] those of its
// NodePool.
type Ignore struct {
	Place Place // where it is written
	Line  int   // whose findings it leaves out; 0: those of the NodePool
	Codes []string
	// Unread means that it is a comment that is almost one, and leaves nothing out.
	Unread bool
}

// almost matches comments that are meant to be one, such as # disruptkit-ignore: gap, and // disruptkit:ignore gap.
var almost = regexp.MustCompile(`(?i)(?:#|//|<!--)\s*disruptkit\s*[-_:. ]\s*(?:lint\s*[-_:. ]\s*)?(?:ignore|disable|nolint)\b`)

var ignoring = regexp.MustCompile(`(?:^|\s)#\s*` + IgnoreComment + `(?:[\s:](.*))?$`)

// ignores returns the comments of a YAML text that leave out findings. (JSON has no comments.)
func ignores(file string, text []byte) (all []Ignore) {
	if isJSON(text) || !almost.Match(text) { // dumps are large
		return nil
	}
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		match := ignoring.FindStringSubmatch(strings.TrimRight(line, "\r"))
		if match == nil {
			if almost.MatchString(line) {
				all = append(all, Ignore{Place: Place{file, i + 1}, Line: i + 1, Unread: true})
			}
			continue
		}
		target := i
		for target < len(lines)-1 && isRemark(lines[target]) {
			target++
		}
		all = append(all, Ignore{Place: Place{file, i + 1}, Line: target + 1, Codes: codesOf(match[1])})
	}
	return all
}

// isRemark reports whether a line has nothing but a comment, if that.
func isRemark(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || line[0] == '#'
}

// codesOf returns codes with commas between them. A reason may follow, after a blank.
func codesOf(text string) (codes []string) {
	text = afterComma.ReplaceAllString(strings.TrimSpace(text), ",")
	text, _, _ = strings.Cut(text, " ")
	for code := range strings.SplitSeq(text, ",") {
		if code != "" && !slices.Contains(codes, code) {
			codes = append(codes, strings.ToLower(code))
		}
	}
	return codes
}

var afterComma = regexp.MustCompile(`\s*,\s*`)

// ignored returns what the annotation of a NodePool leaves out.
func ignored(o *object, in writing) (all []Ignore) {
	if text, written := o.root.field("metadata").field("annotations").texts()[annotation.LintIgnore]; written {
		at := in.at("metadata.annotations.[" + annotation.LintIgnore + "]")
		all = append(all, Ignore{Place: at, Codes: codesOf(text)})
	}
	return all
}
