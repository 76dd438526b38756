// Package fuzz holds the native fuzz targets of all packages. Inputs that once failed are kept under testdata/fuzz.
package fuzz
