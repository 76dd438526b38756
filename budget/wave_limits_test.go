package budget

import "testing"

func TestWavesThatAreOutOfOrderForANumberOfNodesAreTakenBySize(t *testing.T) {
	count, percent := func(n int) Amount { return Amount{N: n} }, func(n int) Amount { return Amount{N: n, Percent: true} }
	r := WaveLimits{Waves: []Amount{count(3), percent(5), percent(50)}}
	for _, c := range []struct {
		nodes int
		want  [4]int
	}{
		{1000, [4]int{3, 50, 500, Unlimited}},
		{40, [4]int{2, 3, 20, Unlimited}},
		{4, [4]int{1, 2, 3, Unlimited}},
		{0, [4]int{0, 0, 3, Unlimited}},
	} {
		for wave, want := range c.want {
			if got := r.Size(wave, c.nodes); got != want {
				t.Errorf("of %d nodes, wave %d is %d, want %d", c.nodes, wave+1, got, want)
			}
		}
	}
	if got := (&WaveLimits{Waves: []Amount{count(2), count(2), count(5)}}).Size(1, 9); got != 2 {
		t.Errorf("the second of two waves of 2 is %d", got)
	}
}
