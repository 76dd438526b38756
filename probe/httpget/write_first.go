package httpget

import (
	"net"
	"sync"
)

// A writeFirstConn reads nothing before the first write: a server may send something unasked, such as the request of
// another connection, and net/http would log it.
type writeFirstConn struct {
	net.Conn
	once  sync.Once
	wrote chan struct{}
}

// writeFirst wraps what a dialer returns.
func writeFirst(conn net.Conn, err error) (net.Conn, error) {
	if err != nil {
		return nil, err
	}
	return &writeFirstConn{Conn: conn, wrote: make(chan struct{})}, nil
}

func (c *writeFirstConn) allowReads() { c.once.Do(func() { close(c.wrote) }) }

func (c *writeFirstConn) Read(b []byte) (int, error) {
	<-c.wrote
	return c.Conn.Read(b)
}

func (c *writeFirstConn) Write(b []byte) (int, error) {
	c.allowReads()
	return c.Conn.Write(b)
}

func (c *writeFirstConn) Close() error {
	err := c.Conn.Close() // before reads are allowed, so that they fail
	c.allowReads()
	return err
}
