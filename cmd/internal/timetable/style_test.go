package timetable

import (
	"fmt"
	"math"
	"testing"
)

// luminance is that of WCAG 2.
func luminance(t *testing.T, color string) float64 {
	t.Helper()
	var rgb [3]uint8
	if _, err := fmt.Sscanf(color, "#%02x%02x%02x", &rgb[0], &rgb[1], &rgb[2]); err != nil {
		t.Fatalf("%s: %v", color, err)
	}
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		c := float64(rgb[i]) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}

func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func TestColoursStandOut(t *testing.T) {
	type pair struct {
		what, a, b string
		least      float64
	}
	for name, l := range map[string]look{"light": light, "dark": dark} {
		const text, adjacent, lines = 4.5, 1.3, 1.4 // 4.5 is WCAG AA
		pairs := []pair{{"text on the page", l.ink, l.page, text}, {"faint text on the page", l.faint, l.page, text}}
		for i, s := range l.shades {
			pairs = append(pairs, pair{fmt.Sprintf("text on shade %d", i), s.ink, s.color, text})
			if i > 0 {
				pairs = append(pairs, pair{fmt.Sprintf("shade %d and the one before", i), s.color, l.shades[i-1].color, adjacent})
			}
		}
		for of, p := range l.patterns() {
			pairs = append(pairs, pair{"text on " + of, p.ink, p.color, text}, pair{"text on the lines of " + of, p.ink, p.line, text},
				pair{"the lines of " + of, p.line, p.color, lines})
		}
		pairs = append(pairs, pair{"the border of unlimited on the page", l.unlimited.border, l.page, text},
			pair{"what is bad on the page", l.bad, l.page, text}, pair{"warnings on the page", l.warning, l.page, text},
			pair{"the border of unlimited in it", l.unlimited.border, l.unlimited.color, text})
		for _, p := range pairs {
			if got := contrast(t, p.a, p.b); got < p.least {
				t.Errorf("%s: %s has a contrast of %.2f, not %.1f: %s, %s", name, p.what, got, p.least, p.a, p.b)
			}
		}
	}
}

func TestFewAmountsHaveShadesOfTheirOwnAndManyShareThemEvenly(t *testing.T) {
	for count := 1; count <= 40; count++ {
		var s scale
		for i := range count {
			s.amounts = append(s.amounts, 3*i+1)
		}
		used := map[int]int{}
		last := -1
		for _, n := range s.amounts {
			shade := s.shade(n)
			if shade < last || shade >= shades {
				t.Fatalf("of %d amounts %d has shade %d after %d", count, n, shade, last)
			}
			last = shade
			used[shade]++
		}
		for shade, n := range used {
			if n > (count+shades-1)/shades {
				t.Errorf("%d of %d amounts share shade %d", n, count, shade)
			}
		}
		legend, texts := s.legend(100)
		if len(used) != min(count, shades) || len(legend) != len(used) || len(texts) != len(used) {
			t.Errorf("%d amounts have %d shades, and a legend of %q", count, len(used), texts)
		}
	}
}
