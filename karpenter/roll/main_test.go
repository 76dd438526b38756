package main

import (
	"bytes"
	"testing"

	"github.com/disruptkit/disruptkit/cmd/golden"
)

func TestRoll(t *testing.T) {
	var stdout bytes.Buffer
	if err := run(&stdout); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "roll.txt", stdout.String())
}
