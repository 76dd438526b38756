package kube

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Proxy lets kubectl hand requests on to the API server, with kubectl's access, through a socket that only this user can open. The client
// finds the API server at http://localhost until end is called.
func (c Cluster) Proxy(ctx context.Context) (client *http.Client, end func(), err error) {
	which, name, err := c.connection(ctx)
	if err != nil {
		return nil, nil, err
	}
	dir, err := os.MkdirTemp("", "kubectl-disruption")
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	socket := filepath.Join(dir, "socket")
	proxy := exec.CommandContext(ctx, "kubectl", append(which, "proxy", "--unix-socket", socket)...)
	said := &beginning{}
	proxy.Stderr = said
	out, err := proxy.StdoutPipe()
	if err == nil {
		err = proxy.Start()
	}
	end = func() {
		cancel()
		if proxy.Process != nil {
			_ = proxy.Wait() // it is ended from here
		}
		_ = os.RemoveAll(dir)
	}
	if err != nil {
		end()
		return nil, nil, fault(err, "kubectl proxy")
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil { // it prints one once it listens
		end()
		return nil, nil, errors.New("kubectl proxy: " + strings.TrimSpace(line+string(said.text)))
	}
	fmt.Fprintf(c.Stderr, "note: asking the cluster of %s\n", name)
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}
	return &http.Client{Transport: &http.Transport{DialContext: dial}}, end, nil
}
