package poll_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/cmd/poll"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

// In a bubble of testing/synctest time is simulated, and passes when all goroutines wait; it fails if one is left at the end.

var (
	zero time.Time
	t0   = time.Date(2026, 11, 20, 10, 30, 0, 0, time.UTC)
)

// get is a Getter.
type get func(ctx context.Context, p httpget.Spec, now time.Time) httpget.Response

func (g get) Get(ctx context.Context, p httpget.Spec, now time.Time) httpget.Response {
	return g(ctx, p, now)
}

// status answers at once.
func status(code int) httpget.Response { return httpget.Response{Status: code} }

func healthy(context.Context, httpget.Spec, time.Time) httpget.Response { return status(200) }

// after answers late, unless ctx ends before.
func after(ctx context.Context, d time.Duration) httpget.Response {
	select {
	case <-ctx.Done():
		return httpget.Response{Err: ctx.Err()}
	case <-time.After(d):
		return status(200)
	}
}

func named(name string, period int) httpget.Spec {
	return httpget.Spec{Name: name, Host: "127.0.0.1", Port: 80, PeriodSeconds: period}
}

// questions remembers what was asked, and fails if a probe is asked while it is being asked.
type questions struct {
	testing.TB
	get
	mu    sync.Mutex
	at    map[string][]time.Time
	asked map[string]bool
}

func listen(t testing.TB, g get) *questions {
	return &questions{TB: t, get: g, at: map[string][]time.Time{}, asked: map[string]bool{}}
}

func (q *questions) Get(ctx context.Context, p httpget.Spec, now time.Time) httpget.Response {
	if !now.Equal(time.Now()) {
		q.Errorf("%s is asked at %v as of %v", p, time.Now(), now)
	}
	q.mu.Lock()
	if q.asked[p.Name] {
		q.Errorf("%s is asked twice at once", p)
	}
	q.asked[p.Name] = true
	q.at[p.Name] = append(q.at[p.Name], now)
	q.mu.Unlock()
	defer func() {
		q.mu.Lock()
		q.asked[p.Name] = false
		q.mu.Unlock()
	}()
	return q.get(ctx, p, now)
}

// of returns when a probe was asked.
func (q *questions) of(name string) []time.Time {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Clone(q.at[name])
}

// bubble runs a test in simulated time, with a Runner that polls some probes until the test ends.
func bubble(t *testing.T, g poll.Getter, probes []httpget.Spec, test func(t *testing.T, r *poll.Runner)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		r := poll.New(g, poll.YAML)
		r.Set(probes)
		done := make(chan struct{})
		go func() {
			defer close(done)
			r.Run(ctx)
		}()
		test(t, r)
		stop()
		<-done
	})
}

// pass lets time pass, and all that is due happen.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func wantVerdict(t *testing.T, r *poll.Runner, p httpget.Spec, want string) {
	t.Helper()
	v := r.Verdicts(p)[0]
	v.StaleAt = zero
	if got := v.String(); got != p.Name+": "+want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAProbeIsAskedOnceAPeriodOrATenthEarly(t *testing.T) {
	for _, period := range []int{1, 2, 10, 3600, 24 * 3600} {
		t.Run(fmt.Sprintf("%ds", period), func(t *testing.T) {
			p := named("health", period)
			q := listen(t, healthy)
			whole := p.Period()
			bubble(t, q, []httpget.Spec{p}, func(t *testing.T, r *poll.Runner) {
				start := time.Now()
				pass(1000 * whole)
				at := q.of("health")
				if first := at[0].Sub(start); first >= min(whole, 10*time.Second) {
					t.Errorf("it is first asked after %v", first)
				}
				early := 0
				for i := range at[1:] {
					switch gap := at[i+1].Sub(at[i]); {
					case gap > whole || gap < whole*9/10:
						t.Fatalf("it is asked again after %v", gap)
					case gap < whole*19/20:
						early++
					}
				}
				if n := len(at) - 1; n < 1000 || early < n/4 || early > n*3/4 {
					t.Errorf("of %d gaps %d are in the first half of what is possible", n, early)
				}
			})
		})
	}
}

func TestAThousandProbesAreSpreadOverThePeriod(t *testing.T) {
	for _, test := range []struct {
		rule         string
		period       int
		from, within time.Duration // all are asked once in this time
	}{
		{"at first, over the period", 10, 0, 10 * time.Second},
		{"at first, over ten seconds of a longer period, since nothing may be disrupted before", 3600, 0, 10 * time.Second},
		{"at first, over a period of a second", 1, 0, time.Second},
		{"after a hundred hours, wherever chance has led them", 3600, 100 * time.Hour, time.Hour},
	} {
		t.Run(test.rule, func(t *testing.T) {
			var probes []httpget.Spec
			for i := range 1000 {
				probes = append(probes, named(fmt.Sprint(i), test.period))
			}
			q := listen(t, healthy)
			bubble(t, q, probes, func(t *testing.T, r *poll.Runner) {
				start := time.Now()
				pass(test.from + test.within)
				tenths := make([]int, 10)
				for _, p := range probes {
					for _, at := range q.of(p.Name) {
						if since := at.Sub(start) - test.from; since >= 0 && since < test.within {
							tenths[since*10/test.within]++
							break
						}
					}
				}
				sum := 0
				for i, n := range tenths {
					sum += n
					if n < 30 || n > 200 { // of 100; the standard deviation is 10
						t.Errorf("%d are asked in the tenth %d", n, i)
					}
				}
				if sum != 1000 {
					t.Errorf("%d are asked", sum)
				}
				for _, v := range r.Verdicts(probes...) {
					if !v.Allowed {
						t.Fatal(v)
					}
				}
			})
		})
	}
}

func TestASlowProbeDelaysNoOther(t *testing.T) {
	for rule, slow := range map[string]get{
		"one that answers late": func(ctx context.Context, _ httpget.Spec, _ time.Time) httpget.Response {
			return after(ctx, 7*time.Second)
		},
		"one that never does": func(ctx context.Context, _ httpget.Spec, _ time.Time) httpget.Response {
			return after(ctx, 1e6*time.Hour)
		},
		"one that never does, in any case": func(_ context.Context, _ httpget.Spec, now time.Time) httpget.Response {
			return after(context.Background(), 24*time.Hour)
		},
	} {
		t.Run(rule, func(t *testing.T) {
			q := listen(t, func(ctx context.Context, p httpget.Spec, now time.Time) httpget.Response {
				if strings.HasPrefix(p.Name, "slow") {
					return slow(ctx, p, now)
				}
				return status(200)
			})
			probes := []httpget.Spec{named("fast", 1)}
			for i := range 200 {
				probes = append(probes, named(fmt.Sprint("slow", i), 1))
			}
			bubble(t, q, probes, func(t *testing.T, r *poll.Runner) {
				pass(time.Minute)
				if n := len(q.of("fast")); n < 60 || n > 67 {
					t.Errorf("the other is asked %d times in a minute", n)
				}
				wantVerdict(t, r, probes[0], "all nodes are allowed")
			})
		})
	}
}

func TestAfterALateAnswerTheNextQuestionFollowsAtOnce(t *testing.T) {
	q := listen(t, func(ctx context.Context, p httpget.Spec, now time.Time) httpget.Response {
		return after(ctx, 3*time.Second)
	})
	bubble(t, q, []httpget.Spec{named("slow", 1)}, func(t *testing.T, r *poll.Runner) {
		pass(time.Minute)
		at := q.of("slow")
		for i := range at[1:] {
			if gap := at[i+1].Sub(at[i]); gap != 3*time.Second {
				t.Errorf("it is asked again after %v", gap)
			}
		}
		if len(at) < 19 {
			t.Errorf("it is asked %d times", len(at))
		}
	})
}

// The age of an answer is that of its question, whatever the Getter says.
func TestAnAnswerIsAsOldAsItsQuestion(t *testing.T) {
	p := named("health", 10)
	for rule, at := range map[string]func(now time.Time) time.Time{
		"no time":                 func(time.Time) time.Time { return zero },
		"the time of the answer":  func(time.Time) time.Time { return time.Now() },
		"a time in the future":    func(now time.Time) time.Time { return now.Add(time.Hour) },
		"the time it was given":   func(now time.Time) time.Time { return now },
		"a time in the long past": func(now time.Time) time.Time { return now.Add(-time.Hour) },
	} {
		t.Run(rule, func(t *testing.T) {
			q := listen(t, func(ctx context.Context, _ httpget.Spec, now time.Time) httpget.Response {
				answer := after(ctx, time.Second)
				answer.At = at(now)
				return answer
			})
			bubble(t, q, []httpget.Spec{p}, func(t *testing.T, r *poll.Runner) {
				v := r.Verdicts(p)[0]
				for range 12 {
					if pass(time.Second); v.StaleAt.IsZero() {
						v = r.Verdicts(p)[0]
					}
				}
				if want := q.of("health")[0].Add(p.MaxAge()); !v.Allowed || !v.StaleAt.Equal(want) {
					t.Errorf("got %v, want it to be stale at %v", v, want)
				}
			})
		})
	}
}

func TestVerdictsFollowTheAnswers(t *testing.T) {
	var answer atomic.Pointer[httpget.Response]
	var asked atomic.Int32
	p := named("health", 10)
	p.Mode, p.FailureThreshold, p.MaxAgeSeconds = httpget.BodyMode, 2, 100
	good := httpget.Response{Status: 200, Body: []byte("deniedActions: []")}
	g := get(func(context.Context, httpget.Spec, time.Time) httpget.Response {
		asked.Add(1)
		return *answer.Load()
	})
	bubble(t, g, []httpget.Spec{p}, func(t *testing.T, r *poll.Runner) {
		wantVerdict(t, r, p, "nothing has been observed yet")
		for _, step := range []struct {
			rule   string
			answer httpget.Response
			want   string
			tells  bool
		}{
			{"the first answer", good, "all nodes are allowed", true},
			{"the same answer", good, "all nodes are allowed", false},
			{"a denial", httpget.Response{Status: 200, Body: []byte("deniedActions: [drift]")}, "it denies Drifted", true},
			{"another", httpget.Response{Status: 200, Body: []byte("deniedActions: [emptiness]")}, "it denies Empty", true},
			{"nothing wrong", good, "all nodes are allowed", true},
			{"one bad answer of two", status(503), "all nodes are allowed", false},
			{"the second", status(503), "it answered 503, and only 200 to 202 allow disruption", true},
			{"the third", status(503), "it answered 503, and only 200 to 202 allow disruption", false},
			{"another bad one", status(500), "it answered 500, and only 200 to 202 allow disruption", true},
			{"none", httpget.Response{Err: errors.New("refused")}, "no answer: refused", true},
			{"a good one again", good, "all nodes are allowed", true},
		} {
			answer.Store(&step.answer)
			for before := asked.Load(); asked.Load() == before; {
				pass(time.Second)
			}
			select {
			case <-r.Changed():
				if !step.tells {
					t.Errorf("%s: a change is reported", step.rule)
				}
			default:
				if step.tells {
					t.Errorf("%s: no change is reported", step.rule)
				}
			}
			wantVerdict(t, r, p, step.want)
		}
	})
}

// A verdict that time alone has changed is back with the next good answer.
func TestAGoodAnswerAfterTooLongIsAChange(t *testing.T) {
	p := named("health", 10)
	var slow atomic.Bool
	g := get(func(ctx context.Context, _ httpget.Spec, _ time.Time) httpget.Response {
		if slow.Load() {
			return after(ctx, time.Minute)
		}
		return status(200)
	})
	bubble(t, g, []httpget.Spec{p}, func(t *testing.T, r *poll.Runner) {
		pass(10 * time.Second)
		<-r.Changed()
		slow.Store(true)
		pass(30 * time.Second)
		wantVerdictStale(t, r, p)
		slow.Store(false)
		pass(50 * time.Second)
		wantVerdict(t, r, p, "all nodes are allowed")
		select {
		case <-r.Changed():
		default:
			t.Error("no change is reported")
		}
	})
}

func wantVerdictStale(t *testing.T, r *poll.Runner, p httpget.Spec) {
	t.Helper()
	if v := r.Verdicts(p)[0]; v.Allowed || !strings.Contains(v.Cause, "old, and counts only for") {
		t.Errorf("got %v", v)
	}
}

func TestManyChangesThatNobodyReceivesAreOneMessage(t *testing.T) {
	code := 200
	g := get(func(context.Context, httpget.Spec, time.Time) httpget.Response {
		code = 703 - code
		return status(code)
	})
	bubble(t, g, []httpget.Spec{named("health", 1)}, func(t *testing.T, r *poll.Runner) {
		pass(time.Minute)
		<-r.Changed()
		select {
		case <-r.Changed():
			t.Error("there are two")
		default:
		}
	})
}

func TestWhatIsAskedAfterTheProbesChanged(t *testing.T) {
	a, b := named("a", 10), named("b", 10)
	changed := a
	changed.TimeoutSeconds = 5
	defaults := a
	defaults.Scheme, defaults.Path, defaults.Mode = "HTTP", "/", httpget.StatusMode
	broken := named("broken", 10)
	broken.Port = 70000
	header := a
	header.HTTPHeaders = []httpget.Header{{Name: "X-Pool", Value: "gpu"}}
	for _, test := range []struct {
		rule          string
		before, after []httpget.Spec
		kept, lost    []httpget.Spec // of those after, those with an observation, and those without
		asked         string         // by name, in the minute after
	}{
		{"all stay", []httpget.Spec{a, b}, []httpget.Spec{b, a}, []httpget.Spec{a, b}, nil, "a b"},
		{"one is gone", []httpget.Spec{a, b}, []httpget.Spec{b}, []httpget.Spec{b}, []httpget.Spec{a}, "b"},
		{"one is new", []httpget.Spec{a}, []httpget.Spec{a, b}, []httpget.Spec{a}, []httpget.Spec{b}, "a b"},
		{"one is changed", []httpget.Spec{a, b}, []httpget.Spec{changed, b}, []httpget.Spec{b}, []httpget.Spec{a, changed}, "a b"},
		{"one has another header", []httpget.Spec{a}, []httpget.Spec{header}, nil, []httpget.Spec{a, header}, "a"},
		{"one spells its defaults out", []httpget.Spec{a}, []httpget.Spec{defaults}, []httpget.Spec{a, defaults}, nil, "a"},
		{"one is broken", []httpget.Spec{broken, a}, []httpget.Spec{broken, a}, []httpget.Spec{a}, []httpget.Spec{broken}, "a"},
		{"one appears twice", []httpget.Spec{a, a}, []httpget.Spec{a, b, a}, []httpget.Spec{a}, []httpget.Spec{b}, "a b"},
		{"none are left", []httpget.Spec{a, b}, nil, nil, []httpget.Spec{a, b}, ""},
		{"there were none", nil, []httpget.Spec{a}, nil, []httpget.Spec{a}, "a"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			q := listen(t, healthy)
			bubble(t, q, test.before, func(t *testing.T, r *poll.Runner) {
				pass(10 * time.Second)
				r.Set(test.after)
				for i, v := range r.Verdicts(append(slices.Clone(test.kept), test.lost...)...) {
					if v.Allowed != (i < len(test.kept)) {
						t.Error(v)
					}
				}
				synctest.Wait()
				set := time.Now()
				pass(time.Minute)
				var asked []string
				for name := range q.at {
					since := slices.DeleteFunc(q.of(name), set.After)
					if n := len(since); n > 0 {
						asked = append(asked, name)
						if n < 5 || n > 7 {
							t.Errorf("%s is asked %d times in a minute", name, n)
						}
					}
				}
				slices.Sort(asked)
				if diff := cmp.Diff(test.asked, strings.Join(asked, " ")); diff != "" {
					t.Errorf("asked (-want +got)\n%s", diff)
				}
			})
		})
	}
}

func TestAProbeThatIsGoneIsGivenUpInTheMiddleOfAQuestion(t *testing.T) {
	p := named("gone", 10)
	ended := false
	g := get(func(ctx context.Context, _ httpget.Spec, _ time.Time) httpget.Response {
		defer func() { ended = true }()
		return after(ctx, time.Hour)
	})
	bubble(t, g, []httpget.Spec{p}, func(t *testing.T, r *poll.Runner) {
		pass(10 * time.Second)
		r.Set(nil)
		synctest.Wait()
		if !ended {
			t.Error("it is still asked")
		}
		wantVerdict(t, r, p, "nothing has been observed yet")
	})
}

// A server cannot be blamed for a question that was given up.
func TestAnAnswerAfterTheEndIsNotKept(t *testing.T) {
	p := named("late", 10)
	p.MaxAgeSeconds = 3600
	first := true
	g := get(func(context.Context, httpget.Spec, time.Time) httpget.Response {
		if first {
			first = false
			return status(200)
		}
		time.Sleep(time.Minute) // whatever ctx says
		return status(503)
	})
	synctest.Test(t, func(t *testing.T) {
		r := poll.New(g, nil)
		r.Set([]httpget.Spec{p})
		ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
		defer stop()
		start := time.Now()
		r.Run(ctx)
		if ran := time.Since(start); ran < time.Minute {
			t.Errorf("it returns after %v, and the question goes on", ran)
		}
		wantVerdict(t, r, p, "all nodes are allowed")
		<-r.Changed()
		select {
		case <-r.Changed():
			t.Error("a change is reported")
		default:
		}
	})
}

func TestNothingIsAskedBeforeItRunsOrAfterItHasEnded(t *testing.T) {
	p := named("health", 1)
	synctest.Test(t, func(t *testing.T) {
		q := listen(t, healthy)
		r := poll.New(q, nil)
		r.Set([]httpget.Spec{p})
		pass(time.Minute)
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		r.Run(ctx)
		pass(time.Minute)
		r.Set([]httpget.Spec{p, named("other", 1)})
		pass(time.Minute)
		at := q.of("health")
		if span := at[len(at)-1].Sub(at[0]); len(at) < 60 || span > time.Minute || len(q.of("other")) > 0 {
			t.Errorf("it is asked %d times within %v", len(at), span)
		}
		wantVerdictStale(t, r, p)
	})
}

func TestAPanicIsNoAnswer(t *testing.T) {
	a, b := named("a", 10), named("b", 10)
	a.Mode = httpget.BodyMode
	for rule, test := range map[string]struct {
		get    get
		decode httpget.Decoder
	}{
		"of the Getter":  {get: func(context.Context, httpget.Spec, time.Time) httpget.Response { panic("oh") }},
		"of the Decoder": {get: healthyBody, decode: func([]byte) ([]byte, error) { panic("oh") }},
	} {
		t.Run(rule, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := listen(t, func(ctx context.Context, p httpget.Spec, now time.Time) httpget.Response {
					if p.Name == "b" {
						return status(200)
					}
					return test.get(ctx, p, now)
				})
				r := poll.New(q, test.decode)
				r.Set([]httpget.Spec{a, b})
				ctx, stop := context.WithTimeout(t.Context(), time.Minute)
				defer stop()
				r.Run(ctx)
				wantVerdict(t, r, a, "no answer: asking panicked: oh")
				wantVerdict(t, r, b, "all nodes are allowed")
				for _, name := range []string{"a", "b"} {
					if n := len(q.of(name)); n < 5 {
						t.Errorf("%s is asked %d times", name, n)
					}
				}
			})
		})
	}
}

func healthyBody(context.Context, httpget.Spec, time.Time) httpget.Response {
	return httpget.Response{Status: 200, Body: []byte("deniedActions: []")}
}

func TestAProbeThatIsNotPolledAllowsNothing(t *testing.T) {
	r := poll.New(get(healthy), nil)
	broken := named("broken", 1)
	broken.Scheme = "ftp"
	wantVerdict(t, r, named("health", 1), "nothing has been observed yet")
	wantVerdict(t, r, broken, `the probe is invalid: scheme: "ftp" is unknown: write http or https`)
	if all := r.Verdicts(); len(all) != 0 {
		t.Errorf("of no probes: %v", all)
	}
}

// For the race detector, and in real time: all methods at once.
func TestAllMethodsAtOnce(t *testing.T) {
	var probes []httpget.Spec
	for i := range 50 {
		probes = append(probes, named(fmt.Sprint(i), 1))
	}
	var mu sync.Mutex
	asked := map[string]bool{}
	all, tellAll := context.WithCancel(t.Context())
	g := get(func(_ context.Context, p httpget.Spec, _ time.Time) httpget.Response {
		mu.Lock()
		defer mu.Unlock()
		if asked[p.Name] = true; len(asked) == len(probes) {
			tellAll()
		}
		return status(200)
	})
	r := poll.New(g, nil)
	r.Set(probes)
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { r.Run(ctx) })
	for range 4 {
		running.Go(func() {
			for ctx.Err() == nil {
				if got := len(r.Verdicts(probes...)); got != len(probes) {
					t.Errorf("%d verdicts", got)
				}
				r.Set(probes)
				select {
				case <-r.Changed():
				case <-time.After(time.Millisecond):
				}
			}
		})
	}
	select {
	case <-all.Done():
	case <-time.After(time.Minute):
		t.Error("not all are asked")
	}
	stop()
	tellAll()
	running.Wait()
}
