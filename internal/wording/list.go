package wording

import (
	"fmt"
	"strings"
)

// List tells the first of some values, and counts the others: "a, b, and 3 more".
func List[T any](list []T, most int, text func(T) string) string {
	var texts []string
	for _, one := range list[:min(most, len(list))] {
		texts = append(texts, text(one))
	}
	if more := len(list) - len(texts); more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(texts, ", ")
}
