package manifest

import "time"

// Milestones are when a NodeClaim came, and when it began to go, as its timestamps say. Zero: it has not come so far, or
// that is not known. They are for those who measure how long launches and drains take.
type Milestones struct {
	Claim string // the name of the NodeClaim
	Node  string // the name of its candidate.Node
	Pool  string

	Created     time.Time // unknown as well, if it is not known when it was Initialized, although it is
	Initialized time.Time // its condition Initialized came true: its Node is Ready, with all that it needs
	// Disrupted is when Karpenter chose it, and asked for its replacement. (Its condition DisruptionReason.)
	Disrupted time.Time
	// Deleted is when its replacement was Ready, and its drain began. (metadata.deletionTimestamp.)
	Deleted time.Time
}

// milestones returns those of a NodeClaim.
func (c *nodeClaim) milestones() Milestones {
	m := Milestones{Claim: c.name, Created: c.created, Deleted: c.deleted}
	if c.initialized.isTrue() {
		m.Initialized = c.initialized.since
		if m.Initialized.IsZero() {
			m.Created = time.Time{} // or its launch would seem to last
		}
	}
	if c.disruption.isTrue() {
		m.Disrupted = c.disruption.since
	}
	return m
}

// Milestones returns those of all NodeClaims.
func (c *Cluster) Milestones() (all []Milestones) {
	for i, s := range c.states {
		if s.claim != nil {
			m := s.claim.milestones()
			m.Node, m.Pool = c.Nodes[i].Name, c.Nodes[i].Pool
			all = append(all, m)
		}
	}
	return all
}
