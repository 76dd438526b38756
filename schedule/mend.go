package schedule

import (
	"strconv"
	"strings"
)

// mend corrects a field with backward ranges, 7 for Sunday, or full names. It returns "" if it cannot.
func (f field) mend(text string) string {
	var mended []string
	for part := range strings.SplitSeq(text, ",") {
		better := f.mendPart(part)
		if better == "" {
			return ""
		}
		mended = append(mended, better)
	}
	return strings.Join(mended, ",")
}

// mendPart corrects a number or a range, with or without a step. A backward range becomes two.
func (f field) mendPart(part string) string {
	values, step, stepped := strings.Cut(part, "/")
	first, last, isRange := strings.Cut(values, "-")
	if !isRange {
		last = first
	}
	from, low, known := f.value(first)
	to, high, alsoKnown := f.value(last)
	by, err := strconv.Atoi(step)
	if !known || !alsoKnown || stepped && (err != nil || by < 1) {
		return ""
	}
	if from > f.max && to > f.max { // 7 is Sunday
		return f.text(f.min, low)
	}
	wraps := from <= f.max && (to > f.max || to < from)
	if from > f.max {
		from, low = f.min, f.text(f.min, low)
	}
	if to > f.max {
		to, high = f.min, f.text(f.min, high)
	}
	switch {
	case wraps && stepped:
		return f.list(low, from, to, by)
	case wraps:
		return join(low, f.text(f.max, low), from == f.max) + "," + join(f.text(f.min, high), high, to == f.min)
	}
	better := join(low, high, !isRange)
	if stepped {
		better += "/" + step
	}
	return better
}

func join(low, high string, same bool) string {
	if same {
		return low
	}
	return low + "-" + high
}

// value returns the value of a name or a number, and a text that crons accept: three letters of a full name. The only
// value above the maximum is 7, as a weekday.
func (f field) value(text string) (n int, short string, ok bool) {
	for i, name := range f.names {
		switch {
		case strings.EqualFold(text, name):
			return f.min + i, strings.ToLower(name[:3]), true
		case strings.EqualFold(text, name[:3]):
			return f.min + i, text, true
		}
	}
	n, err := strconv.Atoi(text)
	isSunday := n == 7 && f.name == "day of week"
	return n, text, err == nil && f.min <= n && (n <= f.max || isSunday)
}

// list returns every step-th value of a range that wraps around from the maximum to the minimum, separated by commas.
func (f field) list(low string, from, to, step int) string {
	size := f.max - f.min + 1
	var values []string
	for n := from; n <= to+size; n += min(step, size) {
		values = append(values, f.text((n-f.min)%size+f.min, low))
	}
	return strings.Join(values, ",")
}

// text returns n as a name if like is a name, else as a number.
func (f field) text(n int, like string) string {
	if _, err := strconv.Atoi(like); err != nil {
		return strings.ToLower(f.names[n-f.min][:3])
	}
	return strconv.Itoa(n)
}
