package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/cmd/golden"
)

// result is what a run of the program leaves behind.
type result struct {
	stdout, stderr string
	status         int
}

func rolled(args ...string) result {
	var stdout, stderr bytes.Buffer
	status := run(args, &stdout, &stderr)
	return result{stdout.String(), stderr.String(), status}
}

func TestGolden(t *testing.T) {
	for _, test := range []struct {
		file string
		args []string
	}{
		{"default.txt", nil},
		{"plain.txt", []string{"-roll", "plain", "-seed", "7"}},
		{"rollout.svg", []string{"-svg", "-"}}, // README.md shows it
	} {
		t.Run(test.file, func(t *testing.T) {
			got := rolled(test.args...)
			if got.status != good || got.stderr != "" {
				t.Errorf("exit status %d, stderr:\n%s", got.status, got.stderr)
			}
			golden.Check(t, test.file, got.stdout)
		})
	}
}

func TestTheSameSeedGivesTheSameOutput(t *testing.T) {
	for _, args := range [][]string{{"-seed", "3"}, {"-seed", "3", "-svg", "-"}} {
		if diff := cmp.Diff(rolled(args...), rolled(args...), cmp.AllowUnexported(result{})); diff != "" {
			t.Error(diff)
		}
	}
	if rolled("-seed", "3").stdout == rolled("-seed", "4").stdout {
		t.Error("seeds 3 and 4 give the same output, too")
	}
}

func TestThePictureIsWellFormed(t *testing.T) {
	for _, args := range []string{"-svg -", "-svg - -roll sequential -seed 2", "-svg - -roll plain -seed 18446744073709551615"} {
		got := rolled(strings.Fields(args)...)
		elements := map[string]int{}
		d := xml.NewDecoder(strings.NewReader(got.stdout))
		for {
			token, err := d.Token()
			if err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", args, err)
			}
			if e, ok := token.(xml.StartElement); ok {
				elements[e.Name.Local]++
			}
		}
		if elements["svg"] != 1 || elements["title"] != 1 || elements["desc"] != 1 || elements["text"] < 20 || elements["script"] > 0 {
			t.Errorf("%s: %v", args, elements)
		}
	}
}

func TestThePictureIsSavedBesideTheLines(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rollout.svg")
	got := rolled("-svg", file, "-roll", "sequential")
	if want := rolled("-roll", "sequential"); got != want {
		t.Errorf("-svg changes what is printed: exit status %d\n%s%s", got.status, got.stderr, got.stdout)
	}
	saved, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if want := rolled("-svg", "-", "-roll", "sequential").stdout; string(saved) != want {
		t.Errorf("the file differs from what -svg - prints:\n%s", saved)
	}
}

func TestExitStatus(t *testing.T) {
	for _, test := range []struct {
		rule   string
		args   string
		status int
		stderr string
	}{
		{"help is good", "-h", good, ""},
		{"all options together are good", "-roll sequential -seed 0 -lines -speed 90m", good, ""},
		{"a flag that is not there", "-x", hopeless, "rollout: flag provided but not defined: -x: write rollout -h to see the flags\n"},
		{"an argument that is not a flag", "fast", hopeless, "rollout: \"fast\" is not a flag: write rollout -h to see the flags\n"},
		{"a roll that is none", "-roll zones", hopeless, "rollout: -roll \"zones\" is unknown: write both, sequential or plain\n"},
		{"a seed that is not a number", "-seed one", hopeless, "rollout: -seed \"one\" is not a number: write one from 0 to 18446744073709551615\n"},
		{"a seed below 0", "-seed -1", hopeless, "rollout: -seed \"-1\" is not a number: write one from 0 to 18446744073709551615\n"},
		{"a speed that is not a duration", "-speed fast", hopeless, "rollout: -speed \"fast\" is no simulated time for a second: write one from 1m to 24h, such as 90m\n"},
		{"a speed that would never end", "-speed 0s", hopeless, "rollout: -speed \"0s\" is no simulated time for a second: write one from 1m to 24h, such as 90m\n"},
		{"every fault is named", "-roll x -seed y", hopeless, "rollout: -roll \"x\" is unknown: write both, sequential or plain\n-seed \"y\" is not a number: write one from 0 to 18446744073709551615\n"},
		{"a file that cannot be written", "-svg testdata/none/rollout.svg", hopeless, "rollout: open testdata/none/rollout.svg: no such file or directory\n"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			got := rolled(strings.Fields(test.args)...)
			if got.status != test.status || got.stderr != test.stderr {
				t.Errorf("exit status %d, stderr:\n%s", got.status, got.stderr)
			}
			if got.status == good && got.stdout == "" {
				t.Error("it prints nothing")
			}
		})
	}
}

func TestOutputThatCannotBeWrittenIsExitStatus2(t *testing.T) {
	for _, args := range [][]string{nil, {"-svg", "-"}} {
		var stderr bytes.Buffer
		if got := run(args, brokenPipe{}, &stderr); got != hopeless || stderr.String() != "rollout: broken pipe\n" {
			t.Errorf("%q: exit status %d, stderr:\n%s", args, got, stderr.String())
		}
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestThePictureIsReadableInLightAndDark(t *testing.T) {
	svg := rolled("-svg", "-").stdout
	if !strings.Contains(svg, "@media screen and (prefers-color-scheme: dark) {\ntext { fill: "+dark.ink+" }") {
		t.Error("the picture is not dark for those who prefer that")
	}
	for name, l := range map[string]look{"light": light, "dark": dark} {
		for _, text := range []string{l.ink, l.faint} {
			if got := contrast(t, text, l.page); got < 4.5 { // WCAG AA
				t.Errorf("%s: text %s on %s has a contrast of %.1f", name, text, l.page, got)
			}
		}
		phases := []string{l.old, l.boot, l.drain, l.new}
		for i, a := range phases {
			for _, b := range phases[:i] {
				if got := contrast(t, a, b); got < 1.4 {
					t.Errorf("%s: phases %s and %s have a contrast of %.2f", name, a, b, got)
				}
			}
		}
	}
}

// contrast is that of WCAG 2.
func contrast(t *testing.T, colors ...string) float64 {
	t.Helper()
	var of [2]float64
	for i, color := range colors {
		var rgb [3]uint8
		if _, err := fmt.Sscanf(color, "#%02x%02x%02x", &rgb[0], &rgb[1], &rgb[2]); err != nil {
			t.Fatal(color, err)
		}
		for j, weight := range []float64{0.2126, 0.7152, 0.0722} {
			of[i] += weight * math.Pow((float64(rgb[j])/255+0.055)/1.055, 2.4)
		}
	}
	return (max(of[0], of[1]) + 0.05) / (min(of[0], of[1]) + 0.05)
}
