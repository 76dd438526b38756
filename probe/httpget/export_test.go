package httpget

import (
	"context"
	"net"
)

// MaxBody is maxBody.
const MaxBody = maxBody

// NewClient returns a client that asks a DNS server of the test's for names.
func NewClient(dialDNS func(ctx context.Context, network, server string) (net.Conn, error)) *Client {
	return &Client{dialDNS: dialDNS}
}
