package command

import (
	"fmt"
	"strings"
)

// Annotation returns the workflow command by which GitHub shows a text at a line of a file. The level is error, warning
// or notice.
func Annotation(level, file string, line int, title, text string) string {
	return fmt.Sprintf("::%s file=%s,line=%d,title=%s::%s\n", level, property(file), line, property(title), data(text))
}

// data and property escape what would end a command, or a property of one.
func data(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

func property(text string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(data(text))
}
