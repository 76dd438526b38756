package wording

// Near reports whether two names are the same but for case and one letter: a missing, an additional or a different one,
// or two that are swapped. Names of one letter have nothing in common. It allocates nothing.
func Near(a, b string) bool {
	if max(len(a), len(b)) < 2 || len(a)-len(b) > 1 || len(b)-len(a) > 1 {
		return a == b
	}
	for a != "" && b != "" && sameLetter(a[0], b[0]) {
		a, b = a[1:], b[1:]
	}
	for a != "" && b != "" && sameLetter(a[len(a)-1], b[len(b)-1]) {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	swapped := len(a) == 2 && len(b) == 2 && sameLetter(a[0], b[1]) && sameLetter(a[1], b[0])
	return swapped || len(a) <= 1 && len(b) <= 1
}

// sameLetter reports whether two letters are the same but for case.
func sameLetter(a, b byte) bool { return a == b || a|0x20 == b|0x20 && 'a' <= a|0x20 && a|0x20 <= 'z' }
