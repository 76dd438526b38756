package topology_test

import (
	"fmt"
	"iter"
	"strings"
)

// The model is a fleet of two or three zones with two or three nodes each. Nodes of a zone that are alike are counted,
// not named; only those that have drifted, and are not in flight, stand in a line, the oldest first.

// A kind is what may be the matter with a node that does not stand in the line.
type kind uint8

const (
	ready         kind = iota // and not drifted
	unready                   // not drifted, and not Ready
	rolling                   // in flight, since it has drifted
	ending                    // the same, and its instance is terminating
	consolidating             // in flight for another reason
	unknown                   // in flight, and nobody knows why
	kinds
)

// A standing is what may be the matter with a node that does.
type standing uint8

const (
	free         standing = iota
	spent                 // a PDB blocks it, for now
	forGood               // it is annotated do-not-disrupt
	overdue               // it is free, and its deadline has passed; of several, the first in line has the earliest deadline
	overdueSpent          // its deadline has passed, and a PDB blocks it, for now
	standings
)

type lined struct {
	zone int8
	is   standing
}

const (
	maxZones = 3
	maxNodes = 6 // in all zones
)

// Where a roll value may point: at a zone, or at one of these.
const (
	nowhere  = maxZones + iota // there is none
	gone                       // a zone that has no nodes
	otherKey                   // zone 0 of another topology key
	lost                       // of the true roll only: the value was lost or forged, and nobody knows
	places
)

// Since when a zone has been idle.
const (
	busy     = iota // it is not
	idleNow         // since now
	idleLong        // for longer than the patience
	idles
)

type position struct{ zone, idle uint8 }

// A state is everything that a decision may depend on.
type state struct {
	zones [maxZones][kinds]uint8
	line  [maxNodes]lined
	n     int8
	open  bool     // the pool's own budget allows nodes
	pause uint8    // the zones that are paused, a bit for each
	roll  position // the roll value
	truth position // where the roll is, as the checker follows it without asking the code
}

func (s *state) size(z int) (n uint8) {
	for _, count := range s.zones[z] {
		n += count
	}
	for _, d := range s.line[:s.n] {
		if int(d.zone) == z {
			n++
		}
	}
	return n
}

func (s *state) count(z int, is standing) (n int) {
	for _, d := range s.line[:s.n] {
		if int(d.zone) == z && d.is == is {
			n++
		}
	}
	return n
}

// take removes a node from the line.
func (s *state) take(i int) {
	copy(s.line[i:], s.line[i+1:s.n])
	s.n--
	s.line[s.n] = lined{}
}

// start puts the first free node of a zone in flight.
func (s *state) start(z int) {
	for i := range s.inOrder() {
		if int(s.line[i].zone) == z {
			s.take(i)
			s.zones[z][rolling]++
			return
		}
	}
}

// inOrder yields the positions of free nodes, those that are overdue before all others.
func (s *state) inOrder() iter.Seq[int] {
	return func(yield func(int) bool) {
		for _, is := range [...]standing{overdue, free} {
			for i, d := range s.line[:s.n] {
				if d.is == is && !yield(i) {
					return
				}
			}
		}
	}
}

func (s *state) append(z int) {
	s.line[s.n] = lined{zone: int8(z)}
	s.n++
}

// The counts of a zone are one of 84: at most three nodes of six kinds.
var (
	compositions [][kinds]uint8
	positions    [1 << (2 * kinds)]uint8 // in compositions, by the counts as bits
)

func init() {
	for bits := range positions {
		var c [kinds]uint8
		sum := uint8(0)
		for k := range c {
			c[k] = uint8(bits >> (2 * k) & 3)
			sum += c[k]
		}
		if sum <= 3 {
			positions[bits] = uint8(len(compositions))
			compositions = append(compositions, c)
		}
	}
}

// paused reports whether a zone is paused.
func (s *state) paused(z int) bool { return s.pause>>z&1 == 1 }

// encode packs a state into 64 bits.
func (s *state) encode() uint64 {
	code := uint64(0)
	add := func(value uint64, bits uint) { code = code<<bits | value }
	for z := range s.zones {
		bits := 0
		for k, n := range s.zones[z] {
			bits |= int(n) << (2 * k)
		}
		add(uint64(positions[bits]), 7)
	}
	for i := range s.line {
		if i < int(s.n) {
			add(uint64(s.line[i].zone)*uint64(standings)+uint64(s.line[i].is), 4)
		} else {
			add(15, 4)
		}
	}
	open := uint64(0)
	if s.open {
		open = 1
	}
	add(open, 1)
	add(uint64(s.pause), maxZones)
	for _, p := range [...]position{s.roll, s.truth} {
		add(uint64(p.zone)*idles+uint64(p.idle), 5)
	}
	return code
}

func decode(code uint64) (s state) {
	next := func(bits uint) uint64 {
		value := code & (1<<bits - 1)
		code >>= bits
		return value
	}
	for _, p := range [...]*position{&s.truth, &s.roll} {
		value := next(5)
		p.zone, p.idle = uint8(value/idles), uint8(value%idles)
	}
	s.pause = uint8(next(maxZones))
	s.open = next(1) == 1
	for i := maxNodes - 1; i >= 0; i-- {
		if value := next(4); value != 15 {
			s.line[i] = lined{int8(value / uint64(standings)), standing(value % uint64(standings))}
			s.n++
		}
	}
	for z := maxZones - 1; z >= 0; z-- {
		s.zones[z] = compositions[next(7)]
	}
	return s
}

const (
	signs  = ".!>~c?" // by kind
	legend = `. Ready  * drifted  x drifted, its PDB is spent  # drifted, do-not-disrupt  o X the same as * x, overdue  > in flight, since it has drifted
~ the same, its instance is terminating  c in flight for consolidation  ? in flight, nobody knows why  ! not Ready`
)

// picture draws a state: "a [>*]  b [.x]  line: a b".
func (s *state) picture(names []string) string {
	var text strings.Builder
	for z, name := range names {
		fmt.Fprintf(&text, "%s [", name)
		for k, n := range s.zones[z] {
			text.WriteString(strings.Repeat(signs[k:k+1], int(n)))
		}
		for is, sign := range [...]string{free: "*", spent: "x", forGood: "#", overdue: "o", overdueSpent: "X"} {
			text.WriteString(strings.Repeat(sign, s.count(z, standing(is))))
		}
		text.WriteString("]")
		if s.paused(z) {
			text.WriteString(" paused")
		}
		text.WriteString("  ")
	}
	if s.n > 0 {
		text.WriteString("drifted, oldest first:")
		for _, d := range s.line[:s.n] {
			text.WriteString(" " + names[d.zone])
		}
		text.WriteString("  ")
	}
	text.WriteString("roll: " + s.roll.text(names))
	if !s.open {
		text.WriteString("  (window closed)")
	}
	return text.String()
}

func (p position) text(names []string) string {
	idle := [...]string{"", ", idle", ", idle for longer than the patience"}[p.idle]
	switch p.zone {
	case nowhere:
		return "none"
	case gone:
		return "in a zone without nodes" + idle
	case otherKey:
		return "of another key" + idle
	case lost:
		return "unknown"
	}
	return names[p.zone] + idle
}
