package command

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// asked runs a command that has some flags, and prints what they say.
func asked(args ...string) (stdout, stderr string, status int) {
	var out, failed bytes.Buffer
	of := func(env *Environment) *cobra.Command {
		var (
			zone    Zone
			reasons Reasons
			format  int
			check   bool
			file    string
		)
		c := New(env, &cobra.Command{Use: "ask [NODE...]"}, func(_ context.Context, env Environment, args []string) (int, error) {
			_, err := fmt.Fprintln(env.Stdout, zone.In, zone.Written, []string{"no reason", "reasons"}[min(len(reasons), 1)], format, check, file, args)
			return Faulty, err
		})
		zone.AddFlag(c.Flags(), "the zone")
		reasons.AddFlag(c.Flags(), "%s")
		OneOf(c.Flags(), &format, "output", "o", "the `format`: %s", Is("text", 1), Is("json", 2))
		c.Flags().BoolVar(&check, "check", false, "check")
		c.Flags().StringVarP(&file, "filename", "f", "", "the `file`")
		return c
	}
	status = Run(context.Background(), Environment{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &failed}, of, args)
	return out.String(), failed.String(), status
}

func TestFlagsMayStandAnywhere(t *testing.T) {
	for args, want := range map[string]string{
		"":                                      "UTC  no reason 1 false  []",
		"--zone Asia/Tokyo":                     "Asia/Tokyo Asia/Tokyo no reason 1 false  []",
		"a --check b -o JSON c":                 "UTC  no reason 2 true  [a b c]",
		"-o json -f=x":                          "UTC  no reason 2 false x []",
		"-":                                     "UTC  no reason 1 false  [-]",
		"-ojson -fx --check=false":              "UTC  no reason 2 false x []",
		"--output text --filename=- --reason ,": "",
		"--reason drift":                        "UTC  reasons 1 false  []",
		"--check -- -check -zone":               "UTC  no reason 1 true  [-check -zone]",
	} {
		stdout, stderr, status := asked(strings.Fields(args)...)
		if want == "" && status == Hopeless && strings.HasPrefix(stderr, "ask: --reason: ") {
			continue
		}
		if strings.TrimSuffix(stdout, "\n") != want || stderr != "" || status != Faulty {
			t.Errorf("%s: %q, %q, status %d", args, stdout, stderr, status)
		}
	}
}

func TestWithoutArgumentsThoseOfTheProcessAreNotRead(t *testing.T) {
	ofProcess := os.Args
	t.Cleanup(func() { os.Args = ofProcess })
	os.Args = []string{"ask", "--check", "node"}
	if stdout, stderr, _ := asked(); stdout != "UTC  no reason 1 false  []\n" || stderr != "" {
		t.Errorf("%q, %q", stdout, stderr)
	}
}

func TestAnErrorNamesTheFlagOnceAndSaysWhatToWrite(t *testing.T) {
	for args, want := range map[string]string{
		"-o xml":              `-o "xml" is unknown: write text or json`,
		"--output=xml":        `-o "xml" is unknown: write text or json`,
		"--zone Mars/Olympus": `--zone "Mars/Olympus" is not in the tz database: write one such as Europe/Berlin, or UTC`,
		"--check=maybe":       `--check "maybe" is neither true nor false`,
		"--chekc":             "unknown flag: --chekc: did you mean --check?",
		"--Filename=x":        "unknown flag: --Filename: did you mean --filename?",
		"-chekc":              "unknown shorthand flag: 'c' in -chekc: did you mean --check?",
		"--every":             "unknown flag: --every: write ask --help to see the flags",
		"-x":                  "unknown shorthand flag: 'x' in -x: write ask --help to see the flags",
		"--zone":              "flag needs an argument: --zone: write ask --help to see the flags",
		"-zone UTC":           "unknown shorthand flag: 'z' in -zone: did you mean --zone?",
	} {
		if _, stderr, status := asked(strings.Fields(args)...); stderr != "ask: "+want+"\n" || status != Hopeless {
			t.Errorf("%s: %q, status %d", args, stderr, status)
		}
	}
}
