// Command playground makes and serves a page that shows what budgets mean as you type them. The library runs in the browser, compiled to
// WebAssembly: nothing that you type leaves it.
//
//	go run ./playground --listen localhost:8080   # to look at it
//	go run ./playground -o DIR                   # for any static host
//
// It needs the go command, and the source of this repository.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"time"
)

const help = `playground makes a page that shows what disruption budgets mean as you type them: the week, the findings, and the JSON. The library
runs in the browser: nothing that you type leaves it.

  go run ./playground --listen localhost:8080
  go run ./playground -o DIR

  --listen address  serve the page until interrupted
  -o directory     write the page there, for any static host

The exit status is 0, or 2 if the page cannot be made or served.
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "playground:", err)
		os.Exit(2)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("playground", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // errors are returned
	listen := flags.String("listen", "", "")
	dir := flags.String("o", "", "")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp), err == nil && *listen == "" && *dir == "" && flags.NArg() == 0:
		_, err := io.WriteString(stdout, help)
		return err
	case err != nil:
		return fmt.Errorf("%w: write playground -h to see the flags", err)
	case flags.NArg() > 0:
		return fmt.Errorf("%q is no flag", flags.Arg(0))
	}
	if *dir != "" {
		if err := build(ctx, *dir); err != nil {
			return err
		}
		fmt.Fprintln(stderr, "the page is", *dir+"/index.html, to be served by any web server")
	}
	if *listen == "" {
		return nil
	}
	if *dir == "" {
		made, err := os.MkdirTemp("", "playground")
		if err != nil {
			return err
		}
		defer os.RemoveAll(made)
		if err := build(ctx, made); err != nil {
			return err
		}
		*dir = made
	}
	return serve(ctx, stderr, *listen, *dir)
}

// serve serves a directory until ctx ends.
func serve(ctx context.Context, stderr io.Writer, address, dir string) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("--listen %s: %w", address, err)
	}
	fmt.Fprintf(stderr, "http://%s/ is the page; interrupt to end\n", listener.Addr())
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
