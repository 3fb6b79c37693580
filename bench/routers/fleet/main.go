// A fleet of simulated routers, lean enough that it leaves the processors to the controller. It takes
// one job per line of JSON, as `../fleet.ts` describes them, and answers each with a line. It ends
// with its input.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"syscall"
	"time"
)

type job struct {
	Kind string `json:"kind"`
	prepareJob
	SpreadMs  float64 `json:"spreadMs"`
	TimeoutMs float64 `json:"timeoutMs"`
}

// How the fleet has fared. Times count from the first dial.
type answer struct {
	HelloMs    []float64 `json:"helloMs"`
	SyncedMs   []float64 `json:"syncedMs"`
	InformedMs []float64 `json:"informedMs"`
	ModelBytes int64     `json:"modelBytes"`
	ForNothing int64     `json:"forNothing"`
	Lost       int64     `json:"lost"`
	Connected  int       `json:"connected"`
	Wrong      int       `json:"wrong"`
	CPUMs      float64   `json:"cpuMs"`
	Exchange   string    `json:"keyExchange"`
}

func main() {
	// Less of the garbage collector for more memory.
	debug.SetGCPercent(400)
	input, output := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	var all *fleet
	for {
		var asked job
		if err := input.Decode(&asked); err == io.EOF {
			return
		} else if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		var err error
		switch asked.Kind {
		case "prepare":
			all, err = newFleet(asked.prepareJob)
		case "connect":
			all.dial(milliseconds(asked.SpreadMs))
			wait(all.accepted, milliseconds(asked.TimeoutMs))
		case "sync":
			wait(all.synced, milliseconds(asked.TimeoutMs))
		case "inform":
			wait(all.informed, milliseconds(asked.TimeoutMs))
		}
		if err != nil {
			_ = output.Encode(map[string]string{"error": err.Error()})
		} else {
			_ = output.Encode(all.look())
		}
	}
}

func wait(done <-chan struct{}, most time.Duration) {
	select {
	case <-done:
	case <-time.After(most):
	}
}

func (f *fleet) look() answer {
	found := answer{
		HelloMs: []float64{}, SyncedMs: []float64{}, InformedMs: []float64{},
		ForNothing: f.forNothing.Load(), Lost: f.lost.Load(), CPUMs: processMs() - f.beganCPUMs,
		ModelBytes: f.modelBytes.Load(),
	}
	found.Exchange, _ = f.exchange.Load().(string)
	for _, one := range f.routers {
		if one.connected.Load() {
			found.Connected++
		}
		if at := one.acceptedAt.Load(); at != 0 {
			found.HelloMs = append(found.HelloMs, float64(at)/1e6)
		}
		if at := one.informedAt.Load(); at != 0 {
			found.InformedMs = append(found.InformedMs, float64(at)/1e6)
		}
		at := one.syncedAt.Load()
		if at != 0 {
			found.SyncedMs = append(found.SyncedMs, float64(at)/1e6)
		}
		if at == 0 || one.apiSessions.Load() != f.apiSessionsEach {
			found.Wrong++
		}
	}
	return found
}

// CPU of this process so far.
func processMs() float64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return float64(used.Utime.Nano()+used.Stime.Nano()) / 1e6
}

func milliseconds(ms float64) time.Duration {
	return time.Duration(ms * float64(time.Millisecond))
}
