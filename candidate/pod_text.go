package candidate

import (
	"strings"

	"github.com/disruptkit/disruptkit/internal/wording"
)

// podTexts allocates sentences in blocks, so that hundreds of them take one allocation.
type podTexts struct {
	block *strings.Builder
	next  int // the size of the next block
}

// blocker returns a blocker of a pod. Its text is "pod namespace/name" and the message.
func (t *podTexts) blocker(p *Pod, code Code, message ...string) Blocker {
	namespace := p.LabelSet.set.NamespaceOf(p.Namespace)
	if wording.Quote(namespace) != namespace || wording.Quote(p.Name) != p.Name {
		return podBlocker(p, code, strings.Join(message, ""))
	}
	const intro = "pod "
	slash := ""
	if namespace != "" {
		slash = "/"
	}
	name := len(namespace) + len(slash) + len(p.Name)
	n := len(intro) + name
	for _, part := range message {
		n += len(part)
	}
	t.grow(n)
	start := t.block.Len()
	for _, part := range [...]string{intro, namespace, slash, p.Name} {
		t.block.WriteString(part)
	}
	for _, part := range message {
		t.block.WriteString(part)
	}
	text := t.block.String()[start:] // safe, since a Builder only appends
	return Blocker{Gate: GatePod, Code: code, Pod: text[len(intro):][:name], Message: text}
}

// grow makes room for a text in the block, or begins a new one.
func (t *podTexts) grow(n int) {
	if t.block != nil && t.block.Cap()-t.block.Len() >= n {
		return
	}
	t.next = min(64<<10, max(256, 2*t.next))
	t.block = &strings.Builder{}
	t.block.Grow(max(n, t.next))
}
