// Package engine tests the engine, which is the root package: laws that hold for all inputs, tables of each gate, and
// benchmarks. The tests of a file of the root have its name. The package has only tests.
package engine
