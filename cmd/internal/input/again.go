package input

import (
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"github.com/disruptkit/disruptkit/cmd/internal/command"
)

// AddEvery adds the flag that says how often a cluster is read.
func (s *Source) AddEvery(f *pflag.FlagSet) {
	command.Duration(f, &s.Every, "watch-every", "30s", time.Second,
		"the `time` from one reading of the cluster to the next; a file is read whenever it changes")
}

// Again returns an error where a flag that reads again and again has nothing to read but once: a time that somebody gives, standard
// input, or the example.
func (s *Source) Again(env command.Environment, flag string) error {
	switch {
	case s.now != "":
		return fmt.Errorf("%s takes the time at which it reads, or the file was written: leave out --now", flag)
	case s.File == "-":
		return fmt.Errorf("%s reads again and again, and standard input can be read once: write a file", flag)
	case s.File == "" && env.Cluster == nil:
		return fmt.Errorf("%s reads again and again, and the example stays as it is: leave out --demo", flag)
	}
	return nil
}
