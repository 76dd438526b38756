package schedule

// The proleptic Gregorian calendar repeats every 400 years, which is a whole number of weeks. Days are counted from
// 1970-01-01. In this arithmetic a year begins in March, so that the leap day comes last.
const (
	daySeconds   = 24 * 60 * 60
	cycleDays    = 146097
	cycleSeconds = cycleDays * daySeconds
	marchToEpoch = 719468 // days from 0000-03-01 to 1970-01-01
)

// civil returns the date of a day. Months and days of the month count from 1.
func civil(day int64) (year int64, month, dom int) {
	day += marchToEpoch
	cycle := floorDiv(day, cycleDays)
	d := uint32(day - cycle*cycleDays) // of the cycle, from 0
	y := (d - d/1460 + d/36524 - d/(cycleDays-1)) / 365
	d -= 365*y + y/4 - y/100 // of the year, from 0 for March 1
	m := (5*d + 2) / 153     // from 0 for March
	dom = int(d-(153*m+2)/5) + 1
	year = cycle*400 + int64(y)
	if m < 10 {
		return year, int(m) + 3, dom
	}
	return year + 1, int(m) - 9, dom
}

// firstDay returns the first day of a month.
func firstDay(year int64, month int) int64 {
	m := int64(month - 3)
	if month < 3 {
		year, m = year-1, m+12
	}
	cycle := floorDiv(year, 400)
	y := year - cycle*400
	return cycle*cycleDays + y*365 + y/4 - y/100 + (153*m+2)/5 - marchToEpoch
}

// monthDays returns the number of days in a month.
func monthDays(year int64, month int) int {
	if month == 2 {
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 30 + (month+month>>3)&1
}

// weekday returns the day of the week; 0 is Sunday.
func weekday(day int64) int {
	return int(day + 4 - floorDiv(day+4, 7)*7)
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
