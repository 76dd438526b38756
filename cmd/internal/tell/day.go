package tell

import "time"

// Day returns the weekday and the time, in the zone of now, or the date where, as seen from now, that could be another week's.
func Day(t, now time.Time) string {
	layout := "Mon 15:04"
	if t.Sub(now).Abs() > 6*24*time.Hour {
		layout = "2006-01-02 15:04"
	}
	return t.In(now.Location()).Format(layout)
}
