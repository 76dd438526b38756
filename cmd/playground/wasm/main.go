//go:build !js

package main

import "fmt"

func main() {
	fmt.Println("This is for browsers: go run ./playground builds it, and serves the page that it is for.")
}
