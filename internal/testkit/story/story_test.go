package story_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

var updateScenarios = flag.Bool("update", false, "rewrite the outputs in testdata")

// The files are stories; testdata/README.md says how to read them.
func TestStories(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatal("no scenarios: ", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			s := newScenario()
			got, err := s.tellAll(path, string(text))
			if err != nil {
				t.Fatal(err)
			}
			writeCases(t, path, s.asked)
			if *updateScenarios {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if diff := gocmp.Diff(strings.Split(string(text), "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("%s (-want +got; go test ./internal/testkit/story -update rewrites it)\n%s", path, diff)
			}
		})
	}
}

// tellAll is playScenario, for a scenario that has not begun.
func (s *scenario) tellAll(path, text string) (string, error) {
	var told []string
	first := 1 // line of the block
	for block := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n\n") {
		input, _, _ := strings.Cut("\n"+block+"\n", "\n----\n")
		input = strings.Trim(input, "\n")
		output, line, err := s.play(input)
		if err != nil {
			return "", fmt.Errorf("%s:%d: %w", path, first+line, err)
		}
		if output != "" {
			input += "\n----\n" + strings.TrimRight(output, "\n")
		}
		told = append(told, input)
		first += strings.Count(block, "\n") + 2
	}
	return strings.Join(told, "\n\n") + "\n", nil
}

// play runs the commands of a block. An error is in a line, counted from 0.
func (s *scenario) play(input string) (output string, line int, err error) {
	lines := strings.Split(input, "\n")
	for i := 0; i < len(lines); i++ {
		line, command := i, lines[i]
		if strings.HasPrefix(command, "#") {
			continue
		}
		for i+1 < len(lines) && (strings.HasPrefix(lines[i+1], "{") || strings.HasPrefix(lines[i+1], "  ")) {
			i++
			command += "\n" + lines[i]
		}
		told, err := s.run(command)
		output += told
		if err != nil {
			return output, line, err
		}
	}
	return output, 0, nil
}
