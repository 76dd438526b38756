package main

import "time"

// An axis places times in the picture. All hours are equally wide, but for those in the middle of a closed window: there
// nothing happens, and they are squeezed.
type axis struct {
	stretches []stretch
	closed    []span
}

// A stretch is a time that is drawn at one scale.
type stretch struct {
	span
	x0, x1   float64
	squeezed bool
}

const (
	afterClosing  = 50 * time.Minute // what is in flight goes on for so long, and is to be seen
	beforeOpening = 10 * time.Minute
	squeezedWidth = 26
)

// newAxis covers a time from x0 to x1.
func newAxis(whole span, closed []span, x0, x1 float64) *axis {
	a := &axis{closed: closed}
	at := whole.from
	for _, c := range closed {
		from, to := c.from.Add(afterClosing), c.to.Add(-beforeOpening)
		if from.Before(at) || !to.After(from) || to.After(whole.to) {
			continue
		}
		a.stretches = append(a.stretches, stretch{span: span{at, from}}, stretch{span: span{from, to}, squeezed: true})
		at = to
	}
	a.stretches = append(a.stretches, stretch{span: span{at, whole.to}})
	a.scale(x0, x1)
	return a
}

func (a *axis) scale(x0, x1 float64) {
	width, hours := x1-x0, 0.0
	for _, s := range a.stretches {
		if s.squeezed {
			width -= squeezedWidth
		} else {
			hours += s.to.Sub(s.from).Hours()
		}
	}
	for i := range a.stretches {
		s := &a.stretches[i]
		s.x0, s.x1 = x0, x0+squeezedWidth
		if !s.squeezed {
			s.x1 = x0 + width*s.to.Sub(s.from).Hours()/hours
		}
		x0 = s.x1
	}
}

// x returns where a time is.
func (a *axis) x(t time.Time) float64 {
	for _, s := range a.stretches {
		if !t.After(s.to) {
			return s.x0 + (s.x1-s.x0)*max(0, t.Sub(s.from).Hours()/s.to.Sub(s.from).Hours())
		}
	}
	return a.end()
}

func (a *axis) end() float64 { return a.stretches[len(a.stretches)-1].x1 }

// ticks returns the full even hours that are drawn at full scale, and not too close to what is squeezed.
func (a *axis) ticks() []time.Time {
	var ticks []time.Time
	for _, s := range a.stretches {
		if s.squeezed {
			continue
		}
		for t := s.from.Truncate(time.Hour); !t.After(s.to); t = t.Add(time.Hour) {
			if t.Hour()%2 == 0 && !t.Before(s.from) && a.x(t) < a.end()-12 {
				ticks = append(ticks, t)
			}
		}
	}
	return ticks
}
