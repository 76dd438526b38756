package generate

import "github.com/disruptkit/disruptkit"

// Inputs are the generators of whole inputs, by what they are about. Laws hold for all of them.
var Inputs = map[string]func(Source) disruptkit.Input{
	"any": Input, "unzoned": Unzoned, "single": Single, "aged": Aged, "dated": Dated, "dated unzoned": DatedUnzoned,
	"desired": Desired, "inbound": Inbound, "ordered": Ordered, "paced": Paced, "tied": Tied, "turning": Turning,
	"grouped": Grouped, "grouped in zones": GroupedInZones, "grouped waiting": GroupedWaiting,
	"soaked": Soaked, "soaked waiting": SoakedWaiting, "waved": Waved, "waved waiting": WavedWaiting,
	"waiting": Waiting, "waiting in zones": WaitingInZones,
	"crowded": Crowded, "contended": Contended, "overtaken": Overtaken,
	"shared": Shared, "spread": Spread, "united": United, "united in zones": UnitedInZones,
}
