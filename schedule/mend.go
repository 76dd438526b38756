package schedule

import (
	"strconv"
	"strings"
	"time"
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

// mendPart corrects a number or a range, with or without a step. A backward range becomes two: one up to the maximum,
// and one from the minimum.
func (f field) mendPart(part string) string {
	values, step, stepped := strings.Cut(part, "/")
	low, high, isRange := strings.Cut(values, "-")
	low, high = f.short(low), f.short(high)
	if !isRange {
		high = low
	}
	from, known := f.number(low)
	to, alsoKnown := f.number(high)
	by, err := strconv.Atoi(step)
	if !known || !alsoKnown || stepped && (err != nil || by < 1) {
		return ""
	}
	lowest, highest := f.text(f.min, low), f.text(f.max, low)
	switch {
	case stepped && (from > to || to > f.max):
		return f.list(low, from, to, by)
	case from > f.max && to > f.max: // 7 is Sunday
		return lowest
	case from > f.max:
		return f.join(lowest, f.min, high, to)
	case to > f.max:
		return f.join(low, from, highest, f.max) + "," + f.text(f.min, high)
	case from > to:
		return f.join(low, from, highest, f.max) + "," + f.join(f.text(f.min, high), f.min, high, to)
	}
	better := low
	if isRange {
		better += "-" + high
	}
	if stepped {
		better += "/" + step
	}
	return better
}

// short abbreviates the full name of a weekday or a month to three letters.
func (f field) short(text string) string {
	for i := range 12 {
		day, month := time.Weekday(i%7).String(), time.Month(i+1).String()
		name := day
		if f.min == 1 {
			name = month
		}
		if strings.EqualFold(text, name) {
			return strings.ToLower(name[:3])
		}
	}
	return text
}

// list returns the values of a range that may wrap around from the maximum to the minimum, separated by commas.
func (f field) list(low string, from, to, step int) string {
	size := f.max - f.min + 1
	if to < from {
		to += size
	}
	var values []string
	for n := from; n <= to; n += min(step, size) {
		values = append(values, f.text((n-f.min)%size+f.min, low))
	}
	return strings.Join(values, ",")
}

// number returns the value of a name or a number. The only value above the maximum that it accepts is 7, as a weekday.
func (f field) number(text string) (int, bool) {
	if i := strings.Index(f.names, strings.ToLower(text)); len(text) == 3 && i >= 0 && i%3 == 0 {
		return f.min + i/3, true
	}
	n, err := strconv.Atoi(text)
	limit := f.max
	if f.name == "day of week" {
		limit = 7
	}
	return n, err == nil && f.min <= n && n <= limit
}

// text returns n as a name if like is a name, else as a number.
func (f field) text(n int, like string) string {
	if _, err := strconv.Atoi(like); err != nil {
		return f.names[(n-f.min)*3:][:3]
	}
	return strconv.Itoa(n)
}

func (f field) join(low string, from int, high string, to int) string {
	if from == to {
		return low
	}
	return low + "-" + high
}
