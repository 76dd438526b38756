package kube

// Small is the size of the cache of NewSmallParser, in bytes.
const Small = 4 << 20

// NewSmallParser returns a parser whose cache is soon full.
func NewSmallParser() *Parser { return &Parser{most: Small} }
