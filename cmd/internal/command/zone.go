package command

import (
	"fmt"
	"time"

	"github.com/spf13/pflag"
)

// A Zone is what the flag --zone says.
type Zone struct {
	In      *time.Location
	Written string // "": nobody has written the flag, and the zone is UTC
}

// AddFlag adds the flag.
func (z *Zone) AddFlag(flags *pflag.FlagSet, usage string) {
	z.In = time.UTC
	flags.Var(z, "zone", usage)
}

// String returns the name of the zone.
func (z *Zone) String() string { return z.In.String() }

// Type names the value of the flag.
func (z *Zone) Type() string { return "name" }

// Set reads the value of the flag.
func (z *Zone) Set(text string) (err error) {
	z.In, err = ParseZone(text)
	z.Written = text
	return err
}

// ParseZone reads the name of a tz database zone.
func ParseZone(name string) (*time.Location, error) {
	zone, err := time.LoadLocation(name)
	if err != nil || name == "" || name == "Local" {
		return nil, fmt.Errorf("%q is not in the tz database: write one such as Europe/Berlin, or UTC", name)
	}
	return zone, nil
}
