package command

import (
	"errors"
	"fmt"
	"os"

	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/disruptkit/disruptkit/cmd/replay"
)

// openRecording opens a recording, whose lines follow those that are there; without a file there is none. Only its owner may read a new
// file: it has the names and labels of pods. What cannot be written later is logged, and the steward goes on. It opens a pipe only to write:
// if it could read it as well, nobody else would have to, and the steward would wait once the pipe is full.
func openRecording(file string) (to *replay.Recorder, end func() error, err error) {
	if file == "" {
		return nil, func() error { return nil }, nil
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("--record: %w", err)
	}
	if err := endLine(f); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("--record: %w", err), f.Close())
	}
	return replay.NewRecorder(f, func(err error) { log.Log.Error(err, "recording", "file", file) }), f.Close, nil
}

// endLine ends a last line that has no end, since its writer died, so that it spoils no other one.
func endLine(f *os.File) error {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return err
	}
	there, err := os.Open(f.Name())
	if err != nil {
		return err
	}
	defer there.Close()
	var last [1]byte
	if _, err := there.ReadAt(last[:], info.Size()-1); err != nil || last[0] == '\n' {
		return err
	}
	_, err = f.Write([]byte{'\n'})
	return err
}
