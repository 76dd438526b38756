package kube

import (
	"context"
	"os/exec"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
)

// installed returns kinds without DisruptionPolicies if the cluster has no such kind, which kubectl would not know.
// Whatever else keeps the server from answering is an error: the policies could be there.
func installed(ctx context.Context, which []string, kinds string) (string, error) {
	list := strings.Split(kinds, ",")
	i := slices.Index(list, disruptionpolicy.Resource)
	if i < 0 {
		return kinds, nil
	}
	args := append(slices.Clip(which), "get", "--raw", "/apis/"+disruptionpolicy.Version)
	if _, err := exec.CommandContext(ctx, "kubectl", args...).Output(); err != nil {
		err = fault(err, "kubectl get --raw /apis/"+disruptionpolicy.Version)
		if !strings.Contains(err.Error(), "(NotFound)") {
			return "", err
		}
		list = slices.Delete(list, i, i+1)
	}
	return strings.Join(list, ","), nil
}
