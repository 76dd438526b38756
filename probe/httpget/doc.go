// Package httpget asks probes: one GET each, with net/http. It is the only package of the module that does I/O, and nothing
// else in the module imports it.
//
//	var client httpget.Client
//	observation = probe.Observe(p, observation, client.Get(ctx, p, time.Now()))
//
// It asks whom the probe names, and nobody else: no proxy, whatever the environment says, and no redirect is followed. The
// certificate of an https probe is always verified, for the probe's Host. The whole answer has to be there within the probe's
// timeout, from looking up the name to the last byte of the body.
//
// What comes back is a status with a body, or an error that begins with what failed, and ends with when:
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
// It names neither the query of a probe nor the values of its headers, since these may be secret: a server that repeats them gets
// them into no error and into no log. What net/http said is what it wraps.
package httpget
