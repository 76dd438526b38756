module github.com/disruptkit/disruptkit/examples

go 1.26.0

require github.com/disruptkit/disruptkit v0.1.0

require github.com/robfig/cron/v3 v3.0.1 // indirect
