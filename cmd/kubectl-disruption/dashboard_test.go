package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// A heard is what a program says while it runs.
type heard struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (h *heard) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.Write(p)
}

func (h *heard) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.String()
}

// The API server fails once while somebody looks at the page, and at last has no node that drifts.
func TestADashboardShowsTheClusterOfKubectlUntilItIsStopped(t *testing.T) {
	fakeKubectl(t, `LIST_FROM="$SERVER" exec "$TESTS" "$@"`+"\n")
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TESTS", binary)
	t.Setenv("SERVER", apiServer(t, 1))
	ctx, stop := context.WithCancel(t.Context())
	stderr, ended := &heard{}, make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"dashboard", "--watch-every", "1s", "--runs", "1"}, strings.NewReader(""), io.Discard, stderr)
	}()
	defer stop()
	address := ""
	pages := map[string]string{}
	for _, want := range []string{"nodes new in 1 NodePool", "This is old: since ", "nothing is left to do"} {
		for began := time.Now(); pages[want] == ""; time.Sleep(20 * time.Millisecond) {
			if time.Since(began) > 30*time.Second {
				t.Fatalf("no page has %q: %s", want, stderr)
			}
			if found := regexp.MustCompile(`http://\S+/`).FindString(stderr.String()); address == "" {
				address = found
				continue
			}
			if page := fetched(t, address); strings.Contains(page, want) {
				pages[want] = page
			}
		}
	}
	if old := pages["This is old: since "]; !strings.Contains(old, "kubectl get: exit status 1, and so ") || !strings.Contains(old, "nodes new in 1 NodePool") {
		t.Errorf("a page that is old:\n%.3000s", old)
	}
	if strings.Contains(pages["nothing is left to do"], "This is old") {
		t.Error("the last page is old")
	}
	stop()
	if status := <-ended; status != 0 || strings.Count(stderr.String(), "note: asking the cluster of context prod-eu") != 1 {
		t.Errorf("status %d:\n%s", status, stderr)
	}
}

func fetched(t *testing.T, url string) string {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
