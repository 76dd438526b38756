package command

import (
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A Document prints what programs read of a command that an error ended.
type Document func(w io.Writer, err error) error

// Documents sets what a command prints to standard output if an error ends it: programs that read a document get one,
// whatever happens.
func (e *Environment) Documents(c *cobra.Command, print Document) {
	if e.documents == nil {
		e.documents = map[*cobra.Command]Document{}
	}
	e.documents[c] = print
}

// document prints the document of a command that an error ended, if it has one. The error may be that of a flag: those
// after it are read first, since one of them may be the format.
func (e Environment) document(c *cobra.Command, args []string, err error) error {
	print, has := e.documents[c]
	if !has {
		return nil
	}
	set := func(f *pflag.Flag, value string) error {
		_ = f.Value.Set(value) // only the first error counts
		return nil
	}
	for len(args) > 0 && c.Flags().ParseAll(args, set) != nil {
		args = args[1:]
	}
	return print(e.Stdout, err)
}
