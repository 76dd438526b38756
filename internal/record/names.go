package record

import (
	"fmt"
	"slices"
	"strings"
)

// names are the words for the values of an enumeration, from 0 on. "" is a value that is left out.
type names[V ~uint8] struct {
	what  string
	words []string
}

func (n names[V]) text(v V) ([]byte, error) {
	if int(v) >= len(n.words) {
		return nil, fmt.Errorf("%s: there is no value %d", n.what, v)
	}
	return []byte(n.words[v]), nil
}

func (n names[V]) read(text []byte, v *V) error {
	i := slices.Index(n.words, string(text))
	if i < 0 {
		known := slices.DeleteFunc(slices.Clone(n.words), func(w string) bool { return w == "" })
		return fmt.Errorf("%s: %q is unknown: write %s", n.what, text, strings.Join(known, ", "))
	}
	*v = V(i)
	return nil
}
