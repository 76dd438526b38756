package kube

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestMain is kubectl where a test has put this program under that name on the PATH.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) != "kubectl" {
		os.Exit(m.Run())
	}
	args := strings.Join(os.Args[1:], " ")
	at := slices.Index(os.Args, "--unix-socket")
	switch {
	case args == "--as=ops config current-context":
		fmt.Println("prod-eu")
	case !strings.HasPrefix(args, "--context prod-eu --as=ops proxy ") || os.Getenv("REFUSES") != "":
		fmt.Fprintln(os.Stderr, "error: You must be logged in to the server")
		os.Exit(1)
	default:
		listener, err := net.Listen("unix", os.Args[at+1])
		if err != nil {
			panic(err)
		}
		fmt.Println("Starting to serve on", os.Args[at+1])
		_ = os.WriteFile(os.Getenv("SOCKET"), []byte(os.Args[at+1]), 0o600)
		go http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Host, r.URL.Path) }))
		stop := make(chan os.Signal, 1)
		signal.Notify(stop, os.Interrupt)
		<-stop
	}
}

// proxied puts a kubectl on the PATH, and returns a cluster that is asked as somebody else.
func proxied(t *testing.T) Cluster {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("kubectl is a symbolic link here")
	}
	dir := t.TempDir()
	program, err := os.Executable()
	if err == nil {
		err = os.Symlink(program, filepath.Join(dir, "kubectl"))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	return Cluster{Flags: &Flags{args: []string{"--as=ops"}}, Stderr: io.Discard}
}

func TestKubectlHandsRequestsOnUntilTheEnd(t *testing.T) {
	c := proxied(t)
	where := filepath.Join(t.TempDir(), "socket")
	t.Setenv("SOCKET", where)
	client, end, err := c.Proxy(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.Get("http://localhost/api/v1/nodes")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(answer.Body)
	answer.Body.Close()
	if string(text) != "localhost/api/v1/nodes" {
		t.Errorf("the answer is %q, %v", text, err)
	}
	socket, err := os.ReadFile(where)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Dir(string(socket))); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("others can reach the socket: %v, %v", info, err)
	}
	end()
	if _, err := os.Stat(filepath.Dir(string(socket))); !os.IsNotExist(err) {
		t.Errorf("the directory of the socket is still there: %v", err)
	}
}

func TestAProxyThatDoesNotStartIsAnErrorInTheWordsOfKubectl(t *testing.T) {
	c := proxied(t)
	t.Setenv("REFUSES", "yes")
	if _, _, err := c.Proxy(t.Context()); err == nil || err.Error() != "kubectl proxy: error: You must be logged in to the server" {
		t.Errorf("%v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, _, err := c.Proxy(context.Background()); err == nil || !strings.Contains(err.Error(), "executable file not found") {
		t.Errorf("%v", err)
	}
}
