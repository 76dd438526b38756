package follow

import (
	"fmt"

	"github.com/disruptkit/disruptkit/cmd/internal/command"
)

// Again returns an error where a flag that reads again and again has nothing to read but once: a time that somebody gives, standard
// input, or the example.
func Again(env command.Environment, flag, file, now string) error {
	if err := env.DemoAlone(file); err != nil {
		return err
	}
	switch {
	case now != "":
		return fmt.Errorf("%s takes the time at which it reads, or the file was written: leave out --now", flag)
	case file == "-":
		return fmt.Errorf("%s reads again and again, and standard input can be read once: write a file", flag)
	case file == "" && env.Cluster == nil:
		return fmt.Errorf("%s reads again and again, and the example stays as it is: leave out --demo", flag)
	}
	return nil
}
