package program

import "flag"

// Given returns the value that somebody has given to a flag, as text; "" if nobody has.
func Given(flags *flag.FlagSet, name string) (text string) {
	flags.Visit(func(f *flag.Flag) {
		if f.Name == name {
			text = f.Value.String()
		}
	})
	return text
}
