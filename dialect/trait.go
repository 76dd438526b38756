package dialect

// A Trait is something that nodes, pools or pods have in some dialects only.
type Trait uint32

// The traits.
const (
	Deadlines      Trait = 1 << iota // a reason may have a deadline, from which on its node is overdue
	Signals                          // probes and pauses hold nodes back
	Backoff                          // pools wait whose replacements fail
	Groups                           // several pools may have a policy together
	Turns                            // zones take turns, and whose turn it is is remembered
	Waves                            // nodes may go in waves
	Paces                            // budgets may limit how many nodes start within some time
	Soaks                            // places of nodes that are gone are taken for some time
	DesiredSize                      // nodes that a pool should have, but has not, use up its budgets
	AnyBudgetField                   // budgets have all fields of the RFCs, and an unknown one is an error
	PodSchedules                     // pods have disruption schedules
	SharedPDBs                       // a node that goes uses up PodDisruptionBudgets, and the next one has to wait
	Names                            // nodes are told apart by name: those that share one are not disrupted
	ExpiredWait                      // expired nodes ask budgets and pods, as others do
	VacantFirst                      // of nodes that have drifted, those without pods to move go first
	NotReadyTwice                    // a node that is not Ready counts twice once disrupted, until it is in flight
	Maintenance                      // nodes are in flight that somebody disrupts, as conditions of their Nodes say
	end
)

// A row is what a dialect has, and what it has not: lacks is only for the test that every trait is in one of the two.
type row struct{ has, lacks Trait }

var rows = [...]row{
	Disruptkit: {
		has: Deadlines | Signals | Backoff | Groups | Turns | Waves | Paces | Soaks | DesiredSize |
			AnyBudgetField | PodSchedules | SharedPDBs | Names | ExpiredWait | Maintenance,
		lacks: VacantFirst | NotReadyTwice,
	},
	Karpenter: {
		has: VacantFirst | NotReadyTwice,
		lacks: Deadlines | Signals | Backoff | Groups | Turns | Waves | Paces | Soaks | DesiredSize |
			AnyBudgetField | PodSchedules | SharedPDBs | Names | ExpiredWait | Maintenance,
	},
}

// In reports whether a dialect has the trait. One that does not exist is as Disruptkit.
func (t Trait) In(d Dialect) bool {
	if int(d) >= len(rows) {
		d = Disruptkit
	}
	return rows[d].has&t != 0
}
