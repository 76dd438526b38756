package wording

import "testing"

func TestObviousReadings(t *testing.T) {
	for text, want := range map[string]string{
		"9d": "216h", "8.5h": "8h30m", "PT8H30M": "8h30m", "P1DT2H": "26h", "1w": "168h", "8 hours": "8h", "90 min": "1h30m", "8H": "8h", "“8h”": "8h",
		"": "", "soon": "", "8x": "", "30s": "", "1.01h": "", "h": "", "8h soon": "",
	} {
		if got := MeantDuration(text); got != want {
			t.Errorf("duration %q is %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"10 %": "10%", "“50%”": "50%", " 5": "5", "10％": "10%", "0": "0", `"0"`: "0", "5.0": "5",
		"": "", "110%": "", "ten": "", "-1": "", "1.5": "", "5 nodes": "",
	} {
		if got := MeantNodes(text); got != want {
			t.Errorf("nodes %q is %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{"mon–fri": "an en dash", "“0”": "typographic quotes", "mon-fri": ""} {
		if _, got := Plain(text); got != want {
			t.Errorf("%q has %q, want %q", text, got, want)
		}
	}
}
