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

// A line of a text.
type line struct {
	number int
	text   []byte
}

// lines returns the lines of a text that are not blank. The text may be compressed by gzip.
func lines(r io.Reader) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		plain, err := decompressed(r)
		if err != nil {
			yield(line{}, err)
			return
		}
		in := bufio.NewReader(plain)
		for number := 1; ; number++ {
			text, err := in.ReadBytes('\n')
			if err != nil && !errors.Is(err, io.EOF) { // and the text is half a line
				yield(line{}, fmt.Errorf("line %d: %w", number, err))
				return
			}
			if text = bytes.TrimSpace(text); len(text) > 0 && !yield(line{number, text}, nil) || err != nil {
				return
			}
		}
	}
}

// decompressed returns what a reader reads, decompressed if it is compressed.
func decompressed(r io.Reader) (io.Reader, error) {
	buffered := bufio.NewReader(r)
	if magic, _ := buffered.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return buffered, nil
	}
	return gzip.NewReader(buffered)
}
