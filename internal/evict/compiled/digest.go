package compiled

// A Digest is what package evict has read of a node's pods. Only that package knows what is in it.
type Digest interface{ OfPods() }
