package input

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// detect chooses the engine that the annotations of NodePools name, unless --engine does, and says so. What cannot be
// read names none: the program reports it when it reads all objects.
func (s *Source) detect(env command.Environment) error {
	if s.flags.Changed("engine") || s.File == "" && (env.Cluster == nil || env.NodePools == nil) {
		return nil
	}
	if s.once() {
		in, err := manifest.Open(s.File, env.Stdin)
		if err != nil {
			return nil // the program says so
		}
		defer in.Close()
		if s.piped, err = io.ReadAll(in); err != nil {
			return fmt.Errorf("%s cannot be read: %w", wording.Quote(s.File), err)
		}
	}
	if e, says := named(env, s.marked(env)); says != "" {
		s.Policy.As = e
		fmt.Fprint(env.Stderr, says)
	}
	return nil
}

// Detect returns the engine that the annotations of NodePools in files name, or, without files, those in the cluster,
// and a line that says so; "": none is named, or they cannot be read.
func Detect(env command.Environment, files ...string) (e engine.Engine, says string) {
	var pools []manifest.NodePool
	if len(files) == 0 && env.Cluster != nil && env.NodePools != nil {
		files = []string{""}
	}
	for _, file := range files {
		info, err := os.Stat(file)
		if s := (&Source{File: file}); file == "" || err == nil && info.Mode().IsRegular() {
			pools = append(pools, s.marked(env)...)
		}
	}
	return named(env, pools)
}

// named returns the engine that the annotations of NodePools name, and a line that says so; "": they name none.
func named(env command.Environment, all []manifest.NodePool) (e engine.Engine, says string) {
	found, reasons := map[engine.Engine][]string{}, map[engine.Engine]string{}
	for _, p := range all {
		if e, why := engine.Detect(p.Annotations()); why != "" {
			found[e], reasons[e] = append(found[e], p.Name), why
		}
	}
	for _, e := range []engine.Engine{engine.Steward, engine.Guard} {
		if len(found[e]) == 0 {
			continue
		}
		return e, fmt.Sprintf("%s: this is for %s, because of the annotation %s of %s; --engine overrides that\n",
			env.Name, e.Phrase(), reasons[e], pools(found[e]))
	}
	return e, ""
}

// once reports whether what is read can be read only once: standard input, or a pipe.
func (s *Source) once() bool {
	if s.File == "" || s.piped != nil {
		return false
	}
	info, err := os.Stat(s.File)
	return s.File == "-" || err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// pools returns "NodePool web", or "3 NodePools, such as web".
func pools(names []string) string {
	if len(names) == 1 {
		return "NodePool " + wording.Quote(names[0])
	}
	return fmt.Sprintf("%s, such as %s", wording.Count(len(names), "NodePool"), wording.Quote(names[0]))
}

// marked returns the NodePools, if annotations that name an engine are somewhere in what is read.
func (s *Source) marked(env command.Environment) []manifest.NodePool {
	open := func() (io.ReadCloser, error) {
		if s.File == "" {
			return env.NodePools()
		}
		return s.OpenFile(env)
	}
	in, err := open()
	if err != nil {
		return nil
	}
	defer in.Close()
	if s.File != "" && !names(in, annotation.Steward, annotation.Memory) {
		return nil
	}
	if s.File != "" {
		in.Close()
		if in, err = open(); err != nil {
			return nil
		}
		defer in.Close()
	}
	f, err := manifest.Policy{As: engine.Disruptkit}.ReadPools(s.File, in)
	if err != nil {
		return nil
	}
	return f.Pools
}

// names reports whether a text has one of some names. It reads the text in pieces, since dumps are large.
func names(in io.Reader, texts ...string) bool {
	longest := len(strings.Join(texts, ""))
	piece := make([]byte, 1<<20)
	kept := 0
	for {
		n, err := in.Read(piece[kept:])
		read := piece[:kept+n]
		for _, text := range texts {
			if bytes.Contains(read, []byte(text)) {
				return true
			}
		}
		if err != nil {
			return false
		}
		kept = copy(piece, read[max(0, len(read)-longest):])
	}
}
