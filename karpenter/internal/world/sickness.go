package world

import (
	"context"
	"fmt"
	"time"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
)

// relapse is how long a stubborn sickness stays away after a reboot.
const relapse = time.Minute

// A sickness is what is wrong with an instance that runs, and what reboots have done about it.
type sickness struct {
	why      string // the reason of the condition that its node is not Ready; "" is well
	stubborn bool   // a reboot does not help for long
	boots    int    // how often it was rebooted
	mended   int    // by which of these
	rebooted time.Time
	asked    string // the last reboot that was asked for
}

// Sicken makes the node of an instance not Ready, for a reason. A reboot mends that; for a minute, if it is stubborn.
func (w *World) Sicken(name, why string, stubborn bool) {
	w.Cloud.change(name, func(i *Instance) { i.why, i.stubborn = why, stubborn })
}

// Heal makes the node of an instance Ready again.
func (w *World) Heal(name string) {
	w.Cloud.change(name, func(i *Instance) { i.why, i.stubborn = "", false })
}

func (c *Cloud) change(name string, change func(*Instance)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, i := range c.instances {
		if i.Name == name {
			change(i)
		}
	}
}

// Reboot restarts an instance in place. The same operation twice is one reboot.
func (c *Cloud) Reboot(_ context.Context, claim *v1.NodeClaim, operation string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := c.instances[claim.Status.ProviderID]; i != nil && i.asked != operation {
		i.asked, i.rebooted = operation, c.clock.Now()
		i.boots++
	}
	return nil
}

// ails returns what is wrong with an instance, and which boot it is in: the next one only once it has booted.
func (c *Cloud) ails(i *Instance, boot time.Duration) (why, id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	name := func(boots int) string { return fmt.Sprintf("%s-%d", i.Name, boots) }
	since := c.clock.Since(i.rebooted)
	if i.boots > 0 && since < boot {
		return "Rebooting", name(i.boots - 1)
	}
	if i.mended < i.boots && !i.stubborn {
		i.mended, i.why = i.boots, ""
	}
	if i.boots > 0 && i.stubborn && since < boot+relapse {
		return "", name(i.boots)
	}
	return i.why, name(i.boots)
}
