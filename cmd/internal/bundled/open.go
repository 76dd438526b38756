package bundled

import (
	"bytes"
	"io"
	"time"

	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

// Open opens the objects for a program to read: those of a file ("-" is standard input), or of the cluster that the program can ask,
// or else Cluster. It also returns the time to decide at: now, or Now for Cluster.
func Open(env command.Environment, file string) (objects io.ReadCloser, now time.Time, err error) {
	switch {
	case file != "":
		objects, err = manifest.Open(file, env.Stdin)
	case env.Cluster != nil:
		objects, err = env.Cluster(manifest.Kinds + "," + manifest.Optional)
	default:
		return io.NopCloser(bytes.NewReader(Cluster)), Now, nil
	}
	return objects, time.Now().UTC().Truncate(time.Second), err
}
