package main

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// A mood is how the server answers, by path. Paths that are not there are well.
type mood map[string]http.HandlerFunc

// The answers.
var (
	unavailable = says(http.StatusServiceUnavailable, "the shop is down\n")
	html        = says(http.StatusOK, "<html><body>Please log in</body></html>")
)

// well allows all, in every mode.
var well = says(http.StatusOK, "deniedActions: []\n")

func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// slow begins to answer well, and ends after 3s, if anybody still listens.
func slow(w http.ResponseWriter, r *http.Request) {
	_, _ = io.WriteString(w, "deniedActions:")
	_ = http.NewResponseController(w).Flush()
	select {
	case <-r.Context().Done():
	case <-time.After(3 * time.Second):
		_, _ = io.WriteString(w, " []\n")
	}
}

// silent says nothing, for as long as anybody listens.
func silent(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// A server is one on loopback whose mood changes.
type server struct {
	http.Server
	port int
	mood atomic.Pointer[mood]
}

// startServer starts a server that is well. Close ends it.
func startServer() (*server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("no server can listen on this machine: %w", err)
	}
	s := &server{port: l.Addr().(*net.TCPAddr).Port}
	s.mood.Store(&mood{})
	s.ErrorLog = log.New(io.Discard, "", 0)
	s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := (*s.mood.Load())[r.URL.Path]
		if answer == nil {
			answer = well
		}
		answer(w, r)
	})
	go func() { _ = s.Serve(l) }() // until it is closed
	return s, nil
}
