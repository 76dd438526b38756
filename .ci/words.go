//go:build ignore

// Command words fails if a phrase of .ci/words.tsv is in a comment, a message, a page or a test's name, unless it is in
// .ci/words-exceptions.tsv: go run .ci/words.go [-exceptions=false] FILE…
package main

import (
	"bufio"
	"flag"
	"fmt"
	"go/scanner"
	"go/token"
	"iter"
	"os"
	"regexp"
	"slices"
	"strings"
)

func main() {
	with := flag.Bool("exceptions", true, "leave exceptions out")
	flag.Parse()
	if err := run(flag.Args(), *with); err != nil {
		fmt.Fprintln(os.Stderr, "words:", err)
		os.Exit(1)
	}
}

// run prints each phrase that is ruled out.
func run(files []string, with bool) error {
	var rules []rule
	var exceptions [][2]string // a file, a directory (./ is the root alone) or *; what a line has
	for instead, phrase := range lines(".ci/words.tsv") {
		rules = append(rules, rule{instead, regexp.MustCompile("(?i)" + phrase)})
	}
	for path, text := range lines(".ci/words-exceptions.tsv") {
		exceptions = append(exceptions, [2]string{path, text})
	}
	used := make([]bool, len(exceptions))
	found, excepted := 0, 0
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for line, text := range prose(file, source) {
			for _, r := range rules {
				phrase := r.phrase.FindString(text)
				if phrase == "" {
					continue
				}
				i := slices.IndexFunc(exceptions, func(e [2]string) bool {
					root := e[0] == "./" && !strings.Contains(file, "/")
					within := e[0] == "*" || root || strings.HasSuffix(e[0], "/") && strings.HasPrefix(file, e[0])
					return (within || e[0] == file) && strings.Contains(text, e[1])
				})
				if i >= 0 && with {
					used[i] = true
					excepted++
					continue
				}
				found++
				fmt.Printf("%s:%d: %q: write %q\n", file, line, strings.TrimSpace(phrase), r.instead)
			}
		}
	}
	for i, e := range exceptions {
		if with && !used[i] {
			fmt.Printf("no file needs the exception %q\n", e)
			found++
		}
	}
	fmt.Printf("%d phrases, %d exceptions\n", found, excepted)
	if found > 0 {
		return fmt.Errorf("%d phrases are ruled out: see .ci/words.tsv", found)
	}
	return nil
}

// A rule is a phrase that is ruled out, and the words to write instead.
type rule struct {
	instead string
	phrase  *regexp.Regexp
}

// lines yields the two columns of a file.
func lines(name string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		text, err := os.ReadFile(name)
		if err != nil {
			panic(err)
		}
		for line := range strings.Lines(string(text)) {
			first, second, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			if ok && !strings.HasPrefix(first, "#") && !yield(first, second) {
				return
			}
		}
	}
}

// prose yields the lines that people read: of a Go file, those of comments, strings and tests' names.
func prose(file string, source []byte) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		if !strings.HasSuffix(file, ".go") {
			s := bufio.NewScanner(strings.NewReader(string(source)))
			for n := 1; s.Scan(); n++ {
				if !yield(n, strings.TrimLeft(s.Text(), " #>-*")) {
					return
				}
			}
			return
		}
		set := token.NewFileSet()
		of := set.AddFile(file, -1, len(source))
		var s scanner.Scanner
		s.Init(of, source, nil, scanner.ScanComments)
		for {
			pos, kind, text := s.Scan()
			switch {
			case kind == token.EOF:
				return
			case kind == token.IDENT && test.MatchString(text):
				text = words.ReplaceAllString(text, "$1 $2")
			case kind != token.COMMENT && kind != token.STRING:
				continue
			}
			n := set.Position(pos).Line
			for line := range strings.Lines(text) {
				if !yield(n, strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "/ "))) {
					return
				}
				n++
			}
		}
	}
}

var (
	test  = regexp.MustCompile(`^(Test|Benchmark|Fuzz)[A-Z]`)
	words = regexp.MustCompile(`([a-z0-9]|A)([A-Z])`)
)
