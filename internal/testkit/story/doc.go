// Package story plays the stories of testdata: what happens to a cluster over many decisions, told in commands, and
// what is decided. It has only tests.
package story
