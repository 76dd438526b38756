package forecast

import (
	"fmt"
	"math"
	"strconv"

	"github.com/spf13/pflag"
)

// assumedNodes is how many nodes a pool has if the number is unknown.
const assumedNodes = 100

// Nodes is how many nodes a pool has, as the flag --nodes says.
type Nodes int

// AddFlag adds the flag.
func (n *Nodes) AddFlag(flags *pflag.FlagSet) {
	*n = assumedNodes
	flags.Var(n, "nodes", "how many nodes a pool has, for percentages; without the flag, that is an assumption")
}

// String returns the value of the flag.
func (n *Nodes) String() string { return strconv.Itoa(int(*n)) }

// Type names the value of the flag.
func (n *Nodes) Type() string { return "number" }

// Set reads the value of the flag.
func (n *Nodes) Set(text string) error {
	nodes, err := strconv.Atoi(text)
	if err != nil || nodes < 0 || nodes > math.MaxInt32 {
		return fmt.Errorf("%q is not a number of nodes: write one from 0 to %d", text, math.MaxInt32)
	}
	*n = Nodes(nodes)
	return nil
}
