package manifest

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// extensions are those of the files that are read in a directory, as kubectl does.
var extensions = []string{".json", ".yaml", ".yml"}

// Files returns the files that a name stands for: itself, or the files with manifests in a directory, in the order of
// their names; with recursive, also those of the directories in it.
func Files(name string, recursive bool) (files []string, err error) {
	root := command.Path(name)
	info, err := os.Stat(root)
	if name == "-" || err != nil || !info.IsDir() {
		return []string{name}, nil // opening it tells the error
	}
	advice := "name another directory"
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != root && !recursive:
			advice = "write -R to read the directories in it as well"
			return filepath.SkipDir
		case !entry.IsDir() && slices.Contains(extensions, strings.ToLower(filepath.Ext(path))):
			inside, _ := filepath.Rel(root, path) // both begin with it
			files = append(files, filepath.Join(name, inside))
		}
		return nil
	})
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s has no file *.yaml, *.yml or *.json: %s", wording.Quote(name), advice)
	}
	return files, err
}

// Open opens the file that -f names, or - for standard input. The caller must close it.
func Open(file string, stdin io.Reader) (io.ReadCloser, error) {
	if file == "-" {
		return io.NopCloser(stdin), nil
	}
	f, err := os.Open(command.Path(file))
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, fmt.Errorf("%s is a directory: name a file in it", file)
	}
	return f, nil
}
