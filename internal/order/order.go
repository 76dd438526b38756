// Package order compares values that package cmp does not.
package order

// FalseFirst puts false before true.
func FalseFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
