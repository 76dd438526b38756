module github.com/disruptkit/disruptkit/karpenter/apiserver

go 1.26.9
