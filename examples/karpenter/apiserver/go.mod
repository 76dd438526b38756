module github.com/disruptkit/disruptkit/examples/karpenter/apiserver

go 1.26.9
