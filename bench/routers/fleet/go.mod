module edge-control/fleet

go 1.25
