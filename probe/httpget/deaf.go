package httpget

import (
	"net"
	"sync"
)

// A deafConn hears nothing before something is said on it. A server may say something first, such as what it was asked on another
// connection, and net/http logs what it reads on a connection where it expects no answer.
type deafConn struct {
	net.Conn
	once  sync.Once
	hears chan struct{}
}

// deafUntilAsked takes what a dialer returns.
func deafUntilAsked(conn net.Conn, err error) (net.Conn, error) {
	if err != nil {
		return nil, err
	}
	return &deafConn{Conn: conn, hears: make(chan struct{})}, nil
}

func (c *deafConn) hear() { c.once.Do(func() { close(c.hears) }) }

func (c *deafConn) Read(b []byte) (int, error) {
	<-c.hears
	return c.Conn.Read(b)
}

func (c *deafConn) Write(b []byte) (int, error) {
	c.hear()
	return c.Conn.Write(b)
}

func (c *deafConn) Close() error {
	err := c.Conn.Close() // first, so that a read fails
	c.hear()
	return err
}
