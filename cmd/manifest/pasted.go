package manifest

import (
	"bytes"
	"encoding/json"
	"regexp"

	"github.com/disruptkit/disruptkit/internal/stray"
)

var (
	fenced    = regexp.MustCompile("(?m)^[ \t]*```[ \t]*(?:ya?ml|json)?[ \t]*\r?$")
	heredoc   = regexp.MustCompile(`(?m)<<[-~]?"?([A-Z_]+)"?[ \t]*\r?$`)
	terraform = regexp.MustCompile(`(?m)^\s*(resource|module|locals|data|variable)\b.*\{[ \t]*\r?$`)
)

// looksLikeTerraform is what to do about HCL, in which budgets cannot be read.
const looksLikeTerraform = "this looks like Terraform: paste its budgets as YAML"

// pasted leaves the YAML of a text that people paste: what is between the fences of Markdown, or in the heredocs of
// Terraform. All else becomes blank, so that lines and bytes stay where they are.
func pasted(text []byte) []byte {
	if isJSON(text) {
		return text
	}
	var parts [][2]int
	if marks := fenced.FindAllIndex(text, -1); len(marks) > 1 {
		for i := 0; i+1 < len(marks); i += 2 {
			parts = append(parts, [2]int{marks[i][1], marks[i+1][0]})
		}
	} else if terraform.Match(text) {
		for _, m := range heredoc.FindAllSubmatchIndex(text, -1) {
			end := regexp.MustCompile(`(?m)^[ \t]*` + string(text[m[2]:m[3]]) + `[ \t]*\r?$`).FindIndex(text[m[1]:])
			if end != nil {
				parts = append(parts, [2]int{m[1], m[1] + end[0]})
			}
		}
	}
	if len(parts) == 0 {
		return text
	}
	blank := bytes.Repeat([]byte(" "), len(text))
	for i, c := range text {
		if c == '\n' {
			blank[i] = c
		}
	}
	for _, p := range parts {
		copy(blank[p[0]:p[1]], text[p[0]:p[1]])
		if line := bytes.LastIndexByte(blank[:p[0]], '\n') + 1; p[0]-line >= 3 {
			copy(blank[line:], "---") // each is a document
		}
	}
	return blank
}

// listOfBudgets returns an object with a list as its budgets, if it is one.
func listOfBudgets(raw json.RawMessage) (object json.RawMessage, found bool) {
	var items []map[string]json.RawMessage
	if len(raw) == 0 || raw[0] != '[' || json.Unmarshal(raw, &items) != nil || len(items) == 0 {
		return nil, false
	}
	for _, item := range items {
		if item["kind"] != nil || item["apiVersion"] != nil || item["metadata"] != nil {
			return nil, false
		}
		for name := range item {
			found = found || stray.Nearest(name, stray.Known(stray.Budget)) == name
		}
	}
	return append(append([]byte(`{"budgets":`), raw...), '}'), found
}
