package command

import (
	"bufio"
	"errors"
	"fmt"
	"strings"
)

// Agreed asks a question, and returns an error unless the user agrees.
func (e Environment) Agreed(question string) error {
	fmt.Fprint(e.Stderr, question)
	line, _ := bufio.NewReader(e.Stdin).ReadString('\n')
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return nil
	}
	return errors.New("nothing is written: answer y, or write --yes")
}
