package main

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// kwokModule has kwok, which plays the kubelets of nodes that do not exist.
const kwokModule, kwokVersion = "sigs.k8s.io/kwok", "v0.8.0"

// kwokStages are files of its module: what becomes of nodes and pods.
var kwokStages = []string{
	"node/fast/node-initialize.yaml", "node/heartbeat-with-lease/node-heartbeat-with-lease.yaml",
	"pod/fast/pod-ready.yaml", "pod/fast/pod-complete.yaml", "pod/fast/pod-delete.yaml",
}

// A cluster is the processes of a whole cluster on this machine, without a node that exists: the servers of Kubernetes, kwok, and Karpenter's kwok
// provider, unmodified.
type cluster struct {
	dir     string     // of its files
	config  string     // the kubeconfig of a cluster-admin
	address string     // of the API server
	failed  chan error // the first process that ends
	running sync.WaitGroup
}

// runCluster runs a cluster while a command runs, or else until the context is done.
func runCluster(ctx context.Context, args []string) (err error) {
	if _, err := exec.LookPath("kubectl"); err != nil {
		return fmt.Errorf("a cluster is set up with kubectl: %w", err)
	}
	programs, err := clusterPrograms(ctx)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "disruptkit-cluster-")
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	c := &cluster{dir: dir, failed: make(chan error, 1)}
	defer func() {
		stop()
		c.running.Wait()
		err = errors.Join(err, os.RemoveAll(dir))
	}()
	if err := c.start(ctx, programs); err != nil {
		return c.cause(err)
	}
	done := make(chan error, 1)
	if len(args) > 0 {
		cmd := command(ctx, "", []string{"KUBECONFIG=" + c.config}, args[0], args[1:]...)
		cmd.Stdout = os.Stdout
		c.running.Go(func() { done <- cmd.Run() })
	} else {
		c.tell()
	}
	select {
	case <-ctx.Done():
		return nil
	case err := <-done:
		return err
	case err := <-c.failed:
		return err
	}
}

// tell prints how to use the cluster.
func (c *cluster) tell() {
	fmt.Printf("The cluster runs. In another terminal:\n\n  export KUBECONFIG=%s\n\nLogs are in %s. Ctrl-C ends and removes it.\n", c.config, c.dir)
}

// clusterPrograms returns the directories of the programs by name, and builds those that are not there.
func clusterPrograms(ctx context.Context) (map[string]string, error) {
	programs := map[string]string{}
	add := func(dir string, names ...string) {
		for _, name := range names {
			programs[name] = filepath.Join(dir, name)
		}
	}
	dir, err := assets(ctx)
	if err != nil {
		return nil, err
	}
	add(dir, servers...)
	if dir, err = built(ctx, "cluster", whole); err != nil {
		return nil, err
	}
	add(dir, whole...)
	add(dir, "kwok", "karpenter")
	say("building kwok and Karpenter's kwok provider")
	if out, err := command(ctx, os.TempDir(), []string{"GOWORK=off", "GOFLAGS=", "CGO_ENABLED=0", "GOBIN=" + dir}, "go", "install",
		kwokModule+"/cmd/kwok@"+kwokVersion).Output(); err != nil {
		return nil, fmt.Errorf("installing kwok: %w: %s", err, out)
	}
	guard, err := moduleDir(ctx, guardModule)
	if err != nil {
		return nil, err
	}
	_, err = output(ctx, guard, nil, "go", "build", "-o", programs["karpenter"], karpenterModule+"/kwok")
	return programs, err
}

// start starts all processes, each once those that it needs are up.
func (c *cluster) start(ctx context.Context, programs map[string]string) error {
	ports, err := freePorts(6)
	if err != nil {
		return err
	}
	etcd := "http://127.0.0.1:" + ports[0]
	c.address, c.config = "https://127.0.0.1:"+ports[1], filepath.Join(c.dir, "kubeconfig")
	if err := c.secrets(); err != nil {
		return err
	}
	kubeconfig := "--kubeconfig=" + c.config
	key := filepath.Join(c.dir, "service-accounts.key")
	c.run(ctx, programs["etcd"], nil, "--data-dir="+filepath.Join(c.dir, "etcd"), "--unsafe-no-fsync", "--listen-client-urls="+etcd,
		"--advertise-client-urls="+etcd, "--listen-peer-urls=http://127.0.0.1:"+ports[2])
	c.run(ctx, programs["kube-apiserver"], nil, "--etcd-servers="+etcd, "--bind-address=127.0.0.1", "--secure-port="+ports[1], "--cert-dir="+c.dir,
		"--token-auth-file="+filepath.Join(c.dir, "tokens.csv"), "--authorization-mode=RBAC", "--service-cluster-ip-range=10.0.0.0/24",
		"--service-account-issuer="+c.address, "--service-account-key-file="+key, "--service-account-signing-key-file="+key)
	if err := c.ready(ctx); err != nil {
		return err
	}
	c.run(ctx, programs["kube-controller-manager"], nil, kubeconfig, "--leader-elect=false", "--secure-port="+ports[3], "--cert-dir="+c.dir,
		"--service-account-private-key-file="+key, "--root-ca-file="+c.authority())
	c.run(ctx, programs["kube-scheduler"], nil, kubeconfig, "--leader-elect=false", "--secure-port="+ports[4], "--cert-dir="+c.dir)
	if err := c.definitions(ctx); err != nil {
		return err
	}
	stages, err := stages(ctx)
	if err != nil {
		return err
	}
	c.run(ctx, programs["kwok"], nil, append(stages, kubeconfig, "--manage-all-nodes=false", "--node-lease-duration-seconds=40",
		"--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake")...)
	c.run(ctx, programs["karpenter"], []string{
		"KUBECONFIG=" + c.config, "DISABLE_LEADER_ELECTION=true", "SYSTEM_NAMESPACE=kube-system", "METRICS_PORT=0", "HEALTH_PROBE_PORT=" + ports[5],
	})
	return nil
}

// stages returns the flags of kwok that say what becomes of nodes and pods.
func stages(ctx context.Context) (flags []string, err error) {
	kwok, err := download(ctx, os.TempDir(), kwokModule+"@"+kwokVersion)
	if err != nil {
		return nil, err
	}
	for _, name := range kwokStages {
		flags = append(flags, "--config="+filepath.Join(kwok.Dir, "kustomize", "stage", filepath.FromSlash(name)))
	}
	return flags, nil
}

// secrets writes the key that signs service accounts, the kubeconfig, and the token that is in it.
func (c *cluster) secrets() error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	text, token := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}), rand.Text()
	for name, text := range map[string]string{
		"service-accounts.key": string(text),
		"tokens.csv":           token + ",admin,admin,system:masters\n",
		"kubeconfig": fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: disruptkit
clusters: [{name: disruptkit, cluster: {server: %q, certificate-authority: %q}}]
users: [{name: admin, user: {token: %s}}]
contexts: [{name: disruptkit, context: {cluster: disruptkit, user: admin}}]
`, c.address, c.authority(), token),
	} {
		if err := os.WriteFile(filepath.Join(c.dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// authority is the certificate that the API server makes for itself.
func (c *cluster) authority() string { return filepath.Join(c.dir, "apiserver.crt") }

// ready waits until the API server answers.
func (c *cluster) ready(ctx context.Context) error {
	var last error
	for range 120 {
		if last = c.kubectl(ctx, "get", "--raw", "/readyz"); last == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-c.failed:
			return err
		case <-time.After(time.Second):
		}
	}
	return fmt.Errorf("the API server is not ready after two minutes: %w", last)
}

// definitions applies the custom resources of Karpenter and of its kwok provider.
func (c *cluster) definitions(ctx context.Context) error {
	karpenter, err := moduleDir(ctx, karpenterModule)
	if err != nil {
		return err
	}
	for _, dir := range []string{"pkg/apis/crds", "kwok/apis/crds"} {
		if err := c.kubectl(ctx, "apply", "--server-side", "-f", filepath.Join(karpenter, filepath.FromSlash(dir))); err != nil {
			return err
		}
	}
	return c.kubectl(ctx, "wait", "--for=condition=Established", "--timeout=60s", "crd", "--all")
}

func (c *cluster) kubectl(ctx context.Context, args ...string) error {
	cmd := command(ctx, c.dir, []string{"KUBECONFIG=" + c.config}, "kubectl", args...)
	cmd.Stderr = nil // it is part of the error
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("kubectl %q: %w: %s", args, err, out)
	}
	return nil
}

// run runs a process until the context is done. That one ends by itself is an error.
func (c *cluster) run(ctx context.Context, path string, env []string, args ...string) {
	name := filepath.Base(path)
	log, err := os.Create(filepath.Join(c.dir, name+".log"))
	if err != nil {
		c.fail(err)
		return
	}
	cmd := command(ctx, c.dir, env, path, args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	c.running.Go(func() {
		defer log.Close()
		if err := cmd.Run(); ctx.Err() == nil {
			text, _ := os.ReadFile(log.Name())
			c.fail(fmt.Errorf("%s has ended: %v\n%s", name, err, text[max(0, len(text)-2000):]))
		}
	})
}

func (c *cluster) fail(err error) {
	select {
	case c.failed <- err:
	default: // another one was first
	}
}

// cause returns why a process has ended, if one has, else the error.
func (c *cluster) cause(err error) error {
	select {
	case first := <-c.failed:
		return first
	default:
		return err
	}
}

// freePorts returns ports that are free now.
func freePorts(n int) (ports []string, err error) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		_, port, err := net.SplitHostPort(l.Addr().String())
		if err != nil {
			return nil, err
		}
		ports = append(ports, port)
	}
	return ports, nil
}
