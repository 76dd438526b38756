package stray

import "strings"

// Nearest returns the known name that a name is probably a misspelling of. It ignores case, blanks, hyphens and
// underscores. Beyond that, one letter may be wrong, missing, extra or swapped with its neighbour; in a longer known
// name, up to a quarter of its letters. It returns "" if no known name is that near, or if several are equally near.
func Nearest(name string, known []string) string {
	nearest, least := "", 0
	for _, k := range known {
		switch n := edits(bare(name), bare(k)); {
		case n > max(1, len(k)/4) || n >= len(k): // too far, or nothing in common
		case least > 0 && n == least:
			nearest = ""
		case nearest == "" && least == 0 || n < least:
			nearest, least = k, n
		}
	}
	return nearest
}

// bare returns a name without what people write differently.
func bare(name string) []rune {
	return []rune(strings.NewReplacer(" ", "", "\t", "", "\u00a0", "", "-", "", "_", "").Replace(strings.ToLower(name)))
}

// edits returns how many letters have to be replaced, inserted, deleted, or swapped with their neighbour to turn a into
// b (the distance of optimal string alignment).
func edits(a, b []rune) int {
	var before, last []int // the rows of the two letters of a that come before
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i + 1
		for j := range b {
			replaced := last[j]
			if a[i] != b[j] {
				replaced++
			}
			row[j+1] = min(replaced, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
