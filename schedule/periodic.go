package schedule

import "time"

// A periodic window opens at fixed intervals and stays open for the same length each time. Cron expressions cannot say
// so for intervals of seconds, or of years.
type periodic struct {
	start, startNanos   int64 // one of its openings, as a Unix time
	period              int64 // from one opening to the next, in seconds
	length, lengthNanos int64 // how long it stays open: less than the period
}

// window returns p as a Window with the given text.
func (p periodic) window(text string) Window {
	switch {
	case p.length < 0 || p.length == 0 && p.lengthNanos <= 0:
		return never
	case p.length >= p.period:
		return Window{}
	}
	return Window{&window{periodic: &p, text: text}}
}

// since returns when p last opened, and how long ago that was in seconds and nanoseconds.
func (p *periodic) since(at, nanos int64) (opened, seconds, rest int64) {
	elapsed := at - p.start
	rest = nanos - p.startNanos
	if rest < 0 {
		elapsed, rest = elapsed-1, rest+int64(time.Second)
	}
	seconds = elapsed - floorDiv(elapsed, p.period)*p.period
	return p.start + elapsed - seconds, seconds, rest
}

func (p *periodic) contains(at, nanos int64) bool {
	_, seconds, rest := p.since(at, nanos)
	return seconds < p.length || seconds == p.length && rest < p.lengthNanos
}

// span is Window.State.
func (p *periodic) span(now time.Time) (open bool, span Span) {
	at, shift := fold(now.Unix())
	opened, _, _ := p.since(at, int64(now.Nanosecond()))
	opens := time.Unix(opened+shift, p.startNanos).UTC()
	closes := time.Unix(opened+shift+p.length, p.startNanos+p.lengthNanos).UTC()
	if p.contains(at, int64(now.Nanosecond())) {
		return true, Span{opens, closes}
	}
	return false, Span{closes, time.Unix(opened+shift+p.period, p.startNanos).UTC()}
}

// upTo is Window.upTo. It takes one step.
func (p *periodic) upTo(at time.Time, steps *walk) (open bool, until time.Time, exact bool) {
	steps.left--
	open, span := p.span(at)
	return open, span.End, true
}
