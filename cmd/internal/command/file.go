package command

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/disruptkit/disruptkit/internal/wording"
)

// FileVarP declares a flag for one file. A second one is an error: of other flags the last value counts, and a file that is left out
// without a word is missed.
func FileVarP(f *pflag.FlagSet, to *string, name, shorthand, usage string) {
	f.VarP(file{to}, name, shorthand, usage)
}

// A file is the name of the only file of a flag.
type file struct{ name *string }

func (f file) Set(name string) error {
	if *f.name != "" && *f.name != name { // completion parses flags twice
		return fmt.Errorf("it is for one file, and %s is written already: put the objects of both into one", wording.Quote(*f.name))
	}
	*f.name = name
	return nil
}

func (f file) String() string {
	if f.name == nil {
		return ""
	}
	return *f.name
}

func (file) Type() string { return "string" }
