package httpget_test

import (
	"errors"
	"time"

	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

// response generates responses to a GET at a time. Most are good.
func response(mode httpget.Mode, at time.Time) func(generate.Source) httpget.Response {
	statuses := []int{-1, 0, 199, 203, 204, 301, 304, 404, 500, 503}
	return func(s generate.Source) httpget.Response {
		r := httpget.Response{At: at, Status: 200, Body: generate.Body(mode)(s)}
		switch s(8) {
		case 4:
			r.Status = s.Between(200, 202)
		case 5:
			r.Status = statuses[s(len(statuses))]
		case 6:
			r.Err = errors.New("the connection broke")
		case 7:
			r = httpget.Response{At: at}
		}
		return r
	}
}
