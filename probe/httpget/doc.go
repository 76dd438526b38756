// Package httpget performs the GET requests of probes, with net/http, and reads the answers. It is the only package of
// the module that does I/O, and no other package of the module imports it.
//
//	var client httpget.Client
//	observation = httpget.Observe(p, observation, client.Get(ctx, p, time.Now()))
//	verdict := probe.ProbeVerdict(p.Probe(), observation, time.Now())
//
// [Observe] is pure. It counts good and bad answers in a row, as readiness probes do, and remembers what they deny.
//
// # Modes and bodies
//
// A [Spec] is what people write about a probe. In [StatusMode], which the RFC first recommended, only the status of an
// answer matters. In [BodyMode], which its newer version recommends, the body denies reasons, for the pool that the
// probe belongs to:
//
//	{"deniedActions": ["drift"]}
//
// In [ClusterMode] one endpoint answers for all pools, and denies each reason to all or to some of them:
//
//	{"deniedActions": [{"name": "drift", "nodePools": {"labels": ["gpu", "team=search"]}},
//	                   {"name": "consolidation", "clusterWide": true}]}
//
// Actions are methods, in any case: drift, emptiness (or empty), underutilized, expiration. "consolidation" means both
// underutilized and empty, since nothing should scale down during an incident. "drift:AMIDrift" denies only that child
// reason. An invalid entry denies everything. A body with an unknown or duplicate field is invalid as a whole.
//
// # Requests
//
// A request goes to the probe's address and nowhere else. Proxies from the environment are ignored, and redirects are
// not followed. The certificate of an https probe is always verified for the probe's Host. The probe's timeout covers
// everything from the DNS lookup to the last byte of the body.
//
// The result is a status with a body, or an error. Errors begin with what failed; most end with when:
//
//	DNS: no such host: health.monitoring.svc
//	refused: nothing listens at 10.0.0.7:8080
//	unreachable: no route to host, while connecting
//	timeout: nothing came within 1s, in the TLS handshake
//	TLS: unknown authority: no trusted authority signed the certificate
//	closed early: the server hung up, in the middle of the body
//	malformed answer: it is not HTTP
//	too large: the body is longer than 65536 bytes
//	cancelled: the caller gave up, while waiting for the answer
//
// Error messages never contain the query of a probe or the values of its headers, since these may be secret, even if
// the server repeats them. Errors wrap the original error of net/http, which may contain them.
package httpget
