package naive

import (
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// signals returns the codes of the blockers that verdicts have for a node, each evaluated separately.
func signals(in disruptkit.Input, p disruptkit.Pool, reason candidate.Reason) (codes []string) {
	verdicts := slices.Concat(in.Verdicts, p.Verdicts)
	for _, g := range layered(in) {
		if slices.Contains(g.pools, p.Name) {
			i := slices.IndexFunc(in.Groups, func(o disruptkit.Group) bool { return o.Name == g.Name })
			verdicts = append(verdicts, in.Groups[i].Verdicts...)
		}
	}
	for _, v := range verdicts {
		denies := false
		for _, d := range v.Denied {
			named := d.Reason == "" || d.Reason == reason || strings.HasPrefix(string(reason), string(d.Reason)+"/")
			_, err := candidate.ParseReason(string(d.Reason))
			named = named || err != nil || wording.Misspelt(d.Reason, reason)
			here := len(d.Pools) == 0
			for _, s := range d.Pools {
				here = here || string(s) == p.Name
				for key, value := range p.Labels {
					here = here || string(s) == value || string(s) == key+"="+value
				}
			}
			over := !d.Until.IsZero() && in.Now.Compare(d.Until) >= 0
			denies = denies || named && here && !over
		}
		code := ""
		switch {
		case !v.Allowed && v.Code == "":
			code = "not-observed"
		case !v.Allowed:
			code = string(v.Code)
		case !v.From.IsZero() && in.Now.Before(v.From):
			code = "from-the-future"
		case !v.StaleAt.IsZero() && in.Now.Compare(v.StaleAt) >= 0:
			code = "stale"
		case denies:
			code = "denied"
		default:
			continue
		}
		codes = append(codes, "probe/"+code)
	}
	return codes
}
