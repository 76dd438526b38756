package timetable

import (
	"strings"
)

// all returns the elements within m for which a function is true, in their order.
func (m mark) all(is func(mark) bool) (found []mark) {
	for _, in := range m.Marks {
		if is(in) {
			found = append(found, in)
		}
		found = append(found, in.all(is)...)
	}
	return found
}

// told returns the texts of elements.
func told(marks []mark) (texts []string) {
	for _, m := range marks {
		texts = append(texts, m.Text)
	}
	return texts
}

// look returns the class that a block was drawn for.
func (m mark) look() string {
	if class, patterned := strings.CutPrefix(m.Fill, "url(#"); patterned {
		return strings.TrimSuffix(class, ")")
	}
	_, more, _ := strings.Cut(m.Class, " ")
	return map[string]string{"slit": "unlimited"}[more] + strings.TrimPrefix(more, "slit")
}
