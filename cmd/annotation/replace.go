package annotation

import (
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// A Request is what Replace says: somebody wants a node replaced. The zero Request gives neither a time nor a cause.
type Request struct {
	// Since is when somebody asked; zero: the annotation does not say. (The managedFields of an object do not say it either: they have the
	// time of the last write by the same manager, and caches and kubectl leave them out.)
	Since time.Time
	// Why is why, in the words of whoever asks.
	Why string
}

// ReadRequest reads Replace from the annotations of a Node, or from those of its NodeClaim where the Node has none. It reports whether somebody
// asks.
func ReadRequest(node, claim map[string]string) (r Request, asks bool) {
	text, written := node[Replace]
	if !written {
		text = claim[Replace]
	}
	text = strings.TrimSpace(text)
	first, why, _ := strings.Cut(text, " ")
	since, err := time.Parse(time.RFC3339, first)
	if err != nil {
		since, why = time.Time{}, text
	}
	switch why = strings.TrimSpace(why); {
	case text == "", strings.EqualFold(why, "false"):
		return r, false
	case strings.EqualFold(why, "true"):
		why = ""
	}
	return Request{since, why}, true
}

// String returns the value of Replace that says it.
func (r Request) String() string {
	text := r.Why
	if text == "" {
		text = "true"
	}
	if r.Since.IsZero() {
		return text
	}
	return r.Since.UTC().Format(time.RFC3339) + " " + text
}

// Condition returns the reason of the node.
func (r Request) Condition() candidate.Condition {
	return candidate.Condition{Reason: candidate.Requested, Since: r.Since}
}

// madeToDrift begin the annotation karpenter.sh/nodepool-hash of a NodeClaim that the steward has made to drift, by why: for a reason that Karpenter does
// not have, or (Drifted) because others of its unit are disrupted. What it was comes after that.
var madeToDrift = map[candidate.Reason]string{candidate.Expired: "expired-", candidate.Requested: "requested-", candidate.Drifted: "united-"}

// DriftingHash returns the annotation karpenter.sh/nodepool-hash that makes a NodeClaim drift for a reason: Expired, Requested, or Drifted for its unit.
func DriftingHash(reason candidate.Reason, hash string) string { return madeToDrift[reason] + hash }

// Annotations of NodeClaims and NodePools that are Karpenter's own.
const (
	Hash        = "karpenter.sh/nodepool-hash"
	HashVersion = "karpenter.sh/nodepool-hash-version"
)

// Comparable reports whether Karpenter compares the hash of a NodeClaim with that of its NodePool, by their annotations. Without that, nothing can be
// made to drift.
func Comparable(pool, claim map[string]string) bool {
	was, _ := MadeToDrift(claim[Hash])
	return was != "" && pool[Hash] != "" && claim[HashVersion] == pool[HashVersion]
}

// MadeToDrift returns the hash that a NodeClaim has or had, and for which reason the steward has made it drift; "": it has not.
func MadeToDrift(hash string) (was string, reason candidate.Reason) {
	for reason, begins := range madeToDrift {
		if was, made := strings.CutPrefix(hash, begins); made {
			return was, reason
		}
	}
	return hash, ""
}
