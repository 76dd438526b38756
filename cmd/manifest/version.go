package manifest

import (
	"fmt"
	"strings"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/internal/stray"
)

const (
	group   = "karpenter.sh"
	version = group + "/v1"
	beta    = group + "/v1beta1"
)

// faultVersion reports a version of a NodePool that Karpenter v1.15 does not serve. disruptkit reads v1beta1 as well,
// in which the RFCs are written.
func faultVersion(o *object, as engine.Engine) {
	v := o.root.field("apiVersion")
	v.json = o.apiVersion // of its list, if it has none
	switch {
	case o.apiVersion == "" || o.apiVersion == version || o.apiVersion == beta && as == engine.Disruptkit:
		return
	case o.apiVersion == beta:
		v.fault("Karpenter v1.1 and newer do not serve " + beta + ": write " + version)
	default:
		v.fault(fmt.Sprintf("%.100q is unknown: write %s", o.apiVersion, version))
	}
	if as != engine.Disruptkit {
		o.faults[len(o.faults)-1].Code = candidate.CodeRejected
	}
}

// faultKind reports an object that was probably meant as a NodePool of Karpenter, but is none.
func faultKind(o *object) (isFault bool) {
	own, _, found := strings.Cut(o.apiVersion, "/")
	ours := !found || strings.Contains(own, "karpenter") || stray.Nearest(own, []string{group}) != ""
	switch {
	case !ours || stray.Nearest(o.kind, []string{"NodePool"}) == "":
		return false
	case o.kind != "NodePool":
		o.root.field("kind").fault(fmt.Sprintf("%.100q is unknown: write NodePool", o.kind))
	default:
		o.root.field("apiVersion").fault(fmt.Sprintf("%.100q is unknown: write %s", o.apiVersion, version))
	}
	return true
}
