package replay

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"iter"
)

// longest is how long a line may be: that of some 100,000 nodes.
const longest = 256 << 20

// lines returns the lines of a text that are not blank, with their numbers. The text may be compressed by gzip.
func lines(r io.Reader) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		in, err := plain(r)
		if err != nil {
			yield(line{}, err)
			return
		}
		source := &failing{Reader: in}
		scanner := bufio.NewScanner(source)
		scanner.Buffer(nil, longest)
		number := 0
		for scanner.Scan() && source.err == nil { // after an error, Scan returns half a line
			number++
			if text := bytes.TrimSpace(scanner.Bytes()); len(text) > 0 && !yield(line{number, text}, nil) {
				return
			}
		}
		if err := scanner.Err(); err != nil {
			if errors.Is(err, bufio.ErrTooLong) {
				err = fmt.Errorf("it has more than %d MiB", longest>>20)
			}
			yield(line{}, fmt.Errorf("line %d: %w", number+1, err))
		}
	}
}

// A failing reader remembers what it could not read.
type failing struct {
	io.Reader
	err error
}

func (f *failing) Read(to []byte) (n int, err error) {
	if n, err = f.Reader.Read(to); !errors.Is(err, io.EOF) {
		f.err = err
	}
	return n, err
}

// A line is valid until the next one is read.
type line struct {
	number int
	text   []byte
}

// plain returns what a reader reads, decompressed if it is compressed.
func plain(r io.Reader) (io.Reader, error) {
	buffered := bufio.NewReader(r)
	if magic, _ := buffered.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return buffered, nil
	}
	return gzip.NewReader(buffered)
}
