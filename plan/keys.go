package plan

// keys numbers what nodes wait for.
type keys struct {
	known  map[Wait]int // of waits without Wait.For
	waits  []Wait       // by key
	launch int          // of CodeLaunch and CodeDrain
	drain  int
}

func newKeys() keys {
	k := keys{known: map[Wait]int{}}
	k.launch, k.drain = k.key(Wait{Code: CodeLaunch}), k.key(Wait{Code: CodeDrain})
	return k
}

func (k *keys) key(w Wait) int {
	key, ok := k.known[w]
	if !ok {
		key = len(k.waits)
		k.known[w] = key
		k.waits = append(k.waits, w)
	}
	return key
}
