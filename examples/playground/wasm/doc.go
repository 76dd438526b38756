// Package main is for browsers: see main_js.go.
package main
