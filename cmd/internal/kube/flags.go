package kube

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/disruptkit/disruptkit/cmd/engine"
)

// flagsWithValue are kubectl's global flags for the connection to a cluster, and what they are for. They are handed on to kubectl as they are.
var flagsWithValue = [][2]string{
	{"as", "user to impersonate"},
	{"as-group", "group to impersonate; may be repeated"},
	{"as-uid", "UID to impersonate"},
	{"as-user-extra", "extra of the user to impersonate; may be repeated"},
	{"cache-dir", "directory of kubectl's cache"},
	{"certificate-authority", "`file` with the certificate authority of the server"},
	{"client-certificate", "`file` with the certificate of the client"},
	{"client-key", "`file` with the key of the client"},
	{"cluster", "cluster of the kubeconfig"},
	{"context", "`context` of the kubeconfig"},
	{"kubeconfig", "`file` to read instead of ~/.kube/config"},
	{"kuberc", "`file` with kubectl's preferences"},
	{"password", "password of the server"},
	{"request-timeout", "how long one request may take, such as 30s"},
	{"server", "address of the server"},
	{"tls-server-name", "name in the certificate of the server"},
	{"token", "bearer token"},
	{"user", "user of the kubeconfig"},
	{"username", "user name of the server"},
}

// switches are those without a value.
var switches = [][2]string{
	{"disable-compression", "ask for answers that are not compressed"},
	{"insecure-skip-tls-verify", "do not check the certificate of the server"},
}

// Flags are those of kubectl that somebody has given.
type Flags struct {
	args      []string // --context=prod-eu
	namespace string   // of -n
}

// Add adds kubectl's flags.
func (f *Flags) Add(flags *pflag.FlagSet) {
	keep := func(name string) func(string) error {
		return func(value string) error {
			arg := "--" + name + "=" + value // which a completion parses twice
			f.args = append(slices.DeleteFunc(f.args, func(a string) bool { return a == arg }), arg)
			return nil
		}
	}
	for _, x := range flagsWithValue {
		flags.FuncP(x[0], map[string]string{"server": "s"}[x[0]], x[1], keep(x[0]))
	}
	for _, x := range switches {
		flags.BoolFunc(x[0], x[1], keep(x[0]))
	}
	flags.StringVarP(&f.namespace, "namespace", "n", "", "no effect: all namespaces are read")
	flags.BoolP("all-namespaces", "A", false, "no effect: all namespaces are read")
}

// value returns the value of a flag; "" if it is not given.
func (f Flags) value(name string) (value string) {
	for _, arg := range f.args {
		if v, ok := strings.CutPrefix(arg, "--"+name+"="); ok {
			value = v
		}
	}
	return value
}

// without returns the arguments for kubectl but for one flag.
func (f Flags) without(name string) []string {
	return slices.DeleteFunc(slices.Clone(f.args), func(arg string) bool { return strings.HasPrefix(arg, "--"+name+"=") })
}

// Unused reports that flags have no effect where a file is read.
func (f Flags) Unused() string {
	var names []string
	for _, arg := range f.args {
		name, _, _ := strings.Cut(arg, "=")
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	switch len(names) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("%s has no effect where a file is read", names[0])
	}
	return fmt.Sprintf("%s have no effect where a file is read", strings.Join(names, ", "))
}

// Check returns an error where --as, with which kubectl impersonates a user, is given the name of an engine.
func (f Flags) Check() error {
	for _, e := range engine.All {
		if strings.EqualFold(f.value("as"), e.String()) {
			return fmt.Errorf("--as impersonates a user, as in kubectl: to name the engine, write --engine %s", e)
		}
	}
	return nil
}
