// Command playground makes and serves a page that shows what budgets mean as you type them. The library runs in the browser, compiled to
// WebAssembly: nothing that you type leaves it.
//
//	go run ./playground --listen localhost:8080   # to look at it
//	go run ./playground -o DIR                   # for any static host
//
// It needs the go command, and the source of this repository.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"time"
)

func main() {
	listen := flag.String("listen", "", "serve the page at this `address` until interrupted, such as localhost:8080")
	dir := flag.String("o", "", "write the page into this `directory`, to be served by any web server")
	flag.Parse()
	switch {
	case flag.NArg() > 0:
		flag.Usage()
		os.Exit(2)
	case *listen == "" && *dir == "":
		flag.CommandLine.SetOutput(os.Stdout)
		flag.Usage()
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *listen, *dir); err != nil {
		fmt.Fprintln(os.Stderr, "playground:", err)
		os.Exit(2)
	}
}

// run writes the page into a directory, and serves it at an address. Either may be "".
func run(ctx context.Context, listen, dir string) error {
	made, err := os.MkdirTemp("", "playground")
	if err != nil {
		return err
	}
	defer os.RemoveAll(made)
	dir = cmp.Or(dir, made)
	if err := build(ctx, dir); err != nil || listen == "" {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", listen)
	if err != nil {
		return fmt.Errorf("--listen %s: %w", listen, err)
	}
	fmt.Fprintf(os.Stderr, "http://%s/ is the page; interrupt to end\n", listener.Addr())
	server := &http.Server{Handler: http.FileServer(http.Dir(dir)), ReadHeaderTimeout: 5 * time.Second}
	go func() {
		<-ctx.Done()
		server.Close()
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
