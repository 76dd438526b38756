package annotation

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/jsonobject"
	"github.com/disruptkit/disruptkit/schedule"
)

// An Expiration says at which age the nodes of a NodePool are to be replaced. The zero Expiration says nothing.
type Expiration struct {
	// After is the age at which a node has the reason Expired. 0 means never.
	After time.Duration
	// Deadline is the age at which a node is overdue: windows, paces and back-offs no longer block it. 0 means never.
	Deadline time.Duration
}

// Condition returns the reason of a node that was created at a time, from the moment on that is its Since. There is none where nodes never
// expire, or the time is unknown (zero).
func (e Expiration) Condition(created time.Time) (c candidate.Condition, there bool) {
	if e.After <= 0 || created.IsZero() {
		return c, false
	}
	c = candidate.Condition{Reason: candidate.Expired, Since: created.Add(e.After)}
	if e.Deadline > 0 {
		c.Deadline = created.Add(e.Deadline)
	}
	return c, true
}

// DueByAge gives the conditions of a node the Deadline of expires, its Expiration.Condition, where theirs is later: a node that is overdue by
// its age is so for all its reasons. A condition without a Deadline first gets that of its NodePool's budgets.
func DueByAge(conditions []candidate.Condition, expires candidate.Condition, budgets budget.Set) {
	for i := range conditions {
		c := &conditions[i]
		if d := budgets.Deadline(c.Reason); c.Deadline.IsZero() && d != candidate.Forever && !c.Since.IsZero() {
			c.Deadline = c.Since.Add(d)
		}
		c.Deadline = schedule.First(c.Deadline, expires.Deadline)
	}
}

// readExpiration reads Expire.
func readExpiration(text string) (e Expiration, err error) {
	const example = "a duration such as 720h"
	err = readObject(text, "{after: 720h, deadline: 1080h}", func(document []byte) error {
		return jsonobject.Decode(document, []jsonobject.Field{
			{Name: "after", Target: duration(&e.After), Example: example},
			{Name: "deadline", Target: duration(&e.Deadline), Example: example},
		})
	})
	switch {
	case err != nil:
	case e.After == 0:
		err = fmt.Errorf("%.100q has no after: write the age at which nodes expire, such as {after: 720h}", text)
	case e.Deadline != 0 && e.Deadline < e.After:
		err = fmt.Errorf("%.100q: nodes would be overdue before they expire: write a deadline, which is an age as well, that is longer than after", text)
	}
	if err != nil {
		return Expiration{}, err
	}
	return e, nil
}
