package wording_test

import (
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/internal/wording"
)

func TestText(t *testing.T) {
	for value, want := range map[string]string{
		"":                      "",
		"0 9 * * mon-fri":       "0 9 * * mon-fri",
		"topology.io/zone":      "topology.io/zone",
		"Zürich 東京":             "Zürich 東京",
		`say "no"`:              `say "no"`,
		`C:\temp`:               `C:\temp`,
		"0 9 * * mon-fri\n":     `"0 9 * * mon-fri\n"`,
		"a\tb":                  `"a\tb"`,
		"\x1b[31mred":           `"\x1b[31mred"`,
		"line\rover":            `"line\rover"`,
		" a":                    `" a"`,
		"a ":                    `"a "`,
		" ":                     `" "`,
		`"a"`:                   `"\"a\""`,
		"right\u202eto left":    `"right\u202eto left"`,
		"no\u00a0break":         `"no\u00a0break"`,
		"zero\u200bwidth":       `"zero\u200bwidth"`,
		"not UTF-8: \xff":       `"not UTF-8: \xff"`,
		"a replacement: \ufffd": "a replacement: \ufffd",
	} {
		if got := wording.Quote(value); got != want {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
}

func TestEveryValueIsOnOneLineAndDistinct(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.SampledFrom([]rune("a \"\\\n\t\x1b\u202e")))).Draw(t, "value")
		got := wording.Quote(value)
		if strings.ContainsFunc(got, func(r rune) bool { return r != ' ' && !unicode.IsGraphic(r) || unicode.IsControl(r) }) {
			t.Fatalf("%q", got)
		}
		back := got
		if strings.HasPrefix(got, `"`) {
			var err error
			if back, err = strconv.Unquote(got); err != nil {
				t.Fatal(err)
			}
		}
		if back != value {
			t.Fatalf("%q became %s", value, got)
		}
	})
}

func TestALongValueIsCut(t *testing.T) {
	for value, want := range map[string]string{
		"":              "",
		"four":          "four",
		"more":          "more",
		"東京タワ":          "東京タワ",
		"fifth":         "fift…",
		"東京タワー":         "東京タワ…",
		"\x1b[31mred":   `"\x1b[31…"`,
		"\xff\xff\xffa": `"\xff\xff\xffa"`,
	} {
		if got := wording.Short(value, 4); got != want {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
}

func TestJSON(t *testing.T) {
	for value, want := range map[string]string{
		"{\n  \"nodes\":\t5 }":     `{"nodes":5}`,
		`["a", "b", "c", "d"]`:     `["a","b","c"`,
		`"10%"`:                    `"10%"`,
		"not\n json":               `not\n json`,
		"[\"zero\u200bwidth\"]":    `["zero\u200bwidth`,
		"[\"\xff\"]":               "[\"\ufffd\"]",
		`5`:                        `5`,
		"{\"a\": \"\\u001b[31m\"}": `{"a":"\u001b`,
	} {
		if got := wording.JSON([]byte(value), 12); got != want {
			t.Errorf("%s: %s, want %s", value, got, want)
		}
	}
}

func TestAListNamesTheFirstAndCountsTheOthers(t *testing.T) {
	for most, want := range []string{"and 3 more", "a, and 2 more", `a, " b", and 1 more`, `a, " b", c`, `a, " b", c`} {
		if got := wording.List([]string{"a", " b", "c"}, most, wording.Quote); got != want {
			t.Errorf("%d: got %s, want %s", most, got, want)
		}
	}
}

func TestDurationsHaveNoUnitsOfZero(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", time.Second: "1s", time.Minute: "1m", 90 * time.Second: "1m30s", 10 * time.Minute: "10m", time.Hour: "1h",
		20 * time.Hour: "20h", time.Hour + time.Minute: "1h1m", time.Hour + time.Second: "1h0m1s", 100 * time.Minute: "1h40m",
		-time.Hour: "-1h", 1500 * time.Millisecond: "1.5s",
	} {
		if got := wording.Duration(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}
