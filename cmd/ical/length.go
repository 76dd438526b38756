package ical

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	ical "github.com/emersion/go-ical"
)

// A length is how long an event takes. Days and weeks are those of the clocks, which are longer or shorter than 24
// hours where the clocks change; the rest is exact (RFC 5545, 3.3.6).
type length struct {
	days    int
	seconds int64
}

const daySeconds = 24 * 60 * 60

// after returns the end of what begins at a time.
func (l length) after(begins local) time.Time {
	days := local{begins.wall.AddDate(0, 0, l.days), begins.zone}
	return add(days.instant(), l.seconds)
}

// add adds seconds. There may be more of them than a time.Duration holds.
func add(t time.Time, seconds int64) time.Time {
	return time.Unix(t.Unix()+seconds, 0).In(t.Location())
}

// between returns how long it is from one time to another: a number of days between days, else exact. "If the duration
// of the recurring component is specified with the DTEND … property, the same exact duration will apply to all the
// members" (RFC 5545, 3.8.5.3).
//
// From 02:00 to 03:00 on the clocks takes an hour, although both are the same instant on the day when clocks skip that
// hour: who writes this wants an hour on other days.
func between(begins, ends local, wholeDays bool) length {
	shown := ends.wall.Unix() - begins.wall.Unix()
	if wholeDays {
		return length{days: int(shown / daySeconds)}
	}
	exact := ends.instant().Unix() - begins.instant().Unix()
	if exact <= 0 && shown > 0 && begins.zone.String() == ends.zone.String() {
		return length{seconds: shown}
	}
	return length{seconds: exact}
}

// length returns how long an event takes: a day by default, if it has no time of the day, else no time at all. A day
// that ends on itself, as some programs write it, takes that day.
func (r reader) length(e ical.Event, begins ical.Prop, start local) (l length, err error) {
	wholeDays := isDate(begins)
	ends, lasts := e.Props.Get(ical.PropDateTimeEnd), e.Props.Get(ical.PropDuration)
	switch {
	case ends != nil && lasts != nil:
		return l, fmt.Errorf("it has DTEND %.100q and DURATION %.100q: write one of them", ends.Value, lasts.Value)
	case ends != nil:
		if isDate(*ends) != wholeDays {
			return l, fmt.Errorf("DTSTART %.100q and DTEND %.100q are a day and a time: write two days, or two times",
				begins.Value, ends.Value)
		}
		end, err := r.time(*ends, ends.Value)
		if err != nil {
			return l, err
		}
		if l = between(start, end, wholeDays); l.days < 0 || l.seconds < 0 {
			return l, fmt.Errorf("DTEND %.100q is before DTSTART %.100q: write a later end", ends.Value, begins.Value)
		}
	case lasts != nil:
		if l, err = duration(lasts.Value); err != nil {
			return l, err
		}
		if wholeDays && l.seconds%daySeconds != 0 {
			return l, fmt.Errorf("DTSTART %.100q is a day, and DURATION %.100q is no number of days: write one "+
				"such as P1D", begins.Value, lasts.Value)
		}
	}
	if wholeDays {
		l = length{days: max(1, l.days+int(l.seconds/daySeconds))}
	}
	return l, nil
}

var durationForm = regexp.MustCompile(
	`^\+?P(?:(\d{1,7})W)?(?:(\d{1,7})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?$`)

// duration parses how long something takes.
func duration(text string) (l length, err error) {
	parts := durationForm.FindStringSubmatch(strings.ToUpper(text))
	if parts == nil || !strings.ContainsAny(text[len(text)-1:], "WDHMSwdhms") {
		return l, fmt.Errorf("DURATION %.100q is not a duration of a calendar: write one such as PT2H, or P1D", text)
	}
	var n [6]int // of weeks, days, hours, minutes and seconds, from 1
	for i, part := range parts[1:] {
		n[i+1], _ = strconv.Atoi(part) // "" is 0
	}
	return length{days: 7*n[1] + n[2], seconds: 3600*int64(n[3]) + 60*int64(n[4]) + int64(n[5])}, nil
}
