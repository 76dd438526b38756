package annotation

import (
	"github.com/disruptkit/disruptkit/internal/jsonobject"
	"github.com/disruptkit/disruptkit/topology"
)

// readTopology reads Topology.
func readTopology(text string) (o topology.Options, err error) {
	err = readObject(text, "{patience: 15m}", func(document []byte) (err error) { o, err = ParseTopology(document); return err })
	return o, err
}

// ParseTopology parses the object of [Topology] from JSON. An unknown field, or a value that is not valid, is an error.
func ParseTopology(document []byte) (o topology.Options, err error) {
	err = jsonobject.Decode(document, []jsonobject.Field{
		{Name: "patience", Target: patience(&o.Patience), Example: "a duration such as 15m, or Never"},
		{Name: "soak", Target: duration(&o.Soak), Example: "a duration such as 15m"},
		{Name: "unlabelled", Target: unlabelled(&o.Unlabelled), Example: "TakeTurn, Exempt or Block"},
		{Name: "labelOptional", Target: &o.LabelOptional, Example: "true or false"},
		{Name: "unsettled", Target: &o.Unsettled, Example: "true or false"},
	})
	if err != nil {
		return topology.Options{}, err
	}
	return o, nil
}
