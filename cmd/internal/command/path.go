package command

import (
	"os"
	"path/filepath"
)

// Path returns the path of a file that people name. With go -C cmd run, programs run in another directory than the one that people
// are in, which the shell has left in PWD: a file that is not in the first is looked for in the second.
func Path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	if _, err := os.Stat(name); err == nil {
		return name
	}
	if there := filepath.Join(os.Getenv("PWD"), name); filepath.IsAbs(there) {
		if _, err := os.Stat(there); err == nil {
			return there
		}
	}
	return name
}
