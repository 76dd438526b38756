package budget

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/disruptkit/disruptkit/schedule"
)

// unions remembers the last answers about the windows of several budgets together. To find the end of such a union is a
// long search, and decisions that follow each other ask for the same. The answers are the same without it.
type unions struct{ last atomic.Pointer[[]unionAnswer] }

// mostAnswers is how many answers are remembered.
const mostAnswers = 8

// A unionAnswer says whether one of some budgets is active from a time on, and until when.
type unionAnswer struct {
	of        Indexes // positions in Set.Pool
	union     schedule.Window
	from, end time.Time
	active    bool
}

// until reports whether any of the chosen budgets is active now, and until when this stays so.
func (u *unions) until(pool []Limit, chosen func(*Limit) bool, now time.Time) (active bool, end time.Time) {
	var of Indexes
	var windows []schedule.Window
	for i := range pool {
		if chosen(&pool[i]) {
			of.Add(i)
			windows = append(windows, pool[i].Window)
		}
	}
	if len(windows) < 2 || len(pool) > MostIndexes {
		return schedule.Union(windows...).Until(now)
	}
	return u.ask(of, windows, now)
}

// ask answers from memory if it can.
func (u *unions) ask(of Indexes, windows []schedule.Window, now time.Time) (active bool, end time.Time) {
	var last []unionAnswer
	if p := u.last.Load(); p != nil {
		last = slices.Clone(*p)
	}
	i := slices.IndexFunc(last, func(a unionAnswer) bool { return a.of == of })
	if i >= 0 && last[i].holds(now) {
		return last[i].active, last[i].end
	}
	if i < 0 {
		i = 0
		last = slices.Insert(last[:min(len(last), mostAnswers-1)], 0,
			unionAnswer{of: of, union: schedule.Union(windows...)})
	}
	a := &last[i]
	a.from = now
	a.active, a.end = a.union.Until(now)
	u.last.Store(&last)
	return a.active, a.end
}

// holds reports whether an answer is the answer at a time, too. That a search was in vain says nothing about other
// times.
func (a *unionAnswer) holds(now time.Time) bool {
	return now.Equal(a.from) || now.After(a.from) && now.Before(a.end)
}
