package manifest

import (
	"fmt"
	"io"
	"os"

	"github.com/disruptkit/disruptkit/examples/internal/program"
)

// Open opens the file that -f names, or - for standard input. The caller must close it.
func Open(file string, stdin io.Reader) (io.ReadCloser, error) {
	if file == "-" {
		return io.NopCloser(stdin), nil
	}
	f, err := os.Open(program.Path(file))
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, fmt.Errorf("%s is a directory: name a file in it", file)
	}
	return f, nil
}
