package main

import (
	"testing"

	"github.com/disruptkit/disruptkit/karpenter/internal/sidebyside/sidebysidetest"
)

func TestRoll(t *testing.T) { sidebysidetest.Check(t, command, 100) }
