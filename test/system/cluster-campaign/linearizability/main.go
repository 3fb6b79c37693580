// Checks histories of registers for linearizability with Porcupine. Each argument is a file of JSON
// lines, one operation per line; each record is a register of its own that begins with 0. The exit
// code is 0 if all are linearizable, 1 if one is not, 2 if a file cannot be read or the check of a
// record takes too long.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// A record of a round takes milliseconds.
const checkMost = 2 * time.Minute

// operation is a line of a file. Times are in microseconds of one clock.
type operation struct {
	Record string `json:"record"`
	Client int    `json:"client"`
	// read or write
	Kind string `json:"kind"`
	// What was read or is written; each write has a value of its own.
	Value   int64 `json:"value"`
	Invoked int64 `json:"invoked"`
	// Absent for a write whose outcome is unknown: it may take effect at any time after.
	Returned *int64 `json:"returned"`
}

// The state is the value, the input an operation.
var register = porcupine.Model{
	Init: func() any { return int64(0) },
	Step: func(state, input, _ any) (bool, any) {
		done := input.(operation)
		if done.Kind == "write" {
			return true, done.Value
		}
		return done.Value == state.(int64), state
	},
	DescribeOperation: func(input, _ any) string {
		done := input.(operation)
		return fmt.Sprintf("%s %d", done.Kind, done.Value)
	},
}

func main() {
	status := 0
	for _, path := range os.Args[1:] {
		found, err := checkFile(path)
		if err != nil {
			fmt.Printf("%s: %v\n", path, err)
			found = 2
		}
		status = max(status, found)
	}
	os.Exit(status)
}

func checkFile(path string) (int, error) {
	records, err := read(path)
	if err != nil {
		return 0, err
	}
	names := make([]string, 0, len(records))
	for name := range records {
		names = append(names, name)
	}
	slices.Sort(names)
	status := 0
	for _, name := range names {
		history, err := historyOf(records[name])
		if err != nil {
			return 0, fmt.Errorf("%s: %w", name, err)
		}
		result, info := porcupine.CheckOperationsVerbose(register, history, checkMost)
		switch result {
		case porcupine.Ok:
			continue
		case porcupine.Illegal:
			picture := fmt.Sprintf("%s.%s.html", path, name)
			fmt.Printf("%s is not linearizable: see %s\n", name, picture)
			if err := porcupine.VisualizePath(register, info, picture); err != nil {
				return 0, err
			}
			status = max(status, 1)
		default:
			fmt.Printf("%s was not decided within %s\n", name, checkMost)
			status = 2
		}
	}
	return status, nil
}

func read(path string) (map[string][]operation, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	records := map[string][]operation{}
	decoder := json.NewDecoder(bufio.NewReader(file))
	decoder.DisallowUnknownFields()
	for {
		var next operation
		if err := decoder.Decode(&next); errors.Is(err, io.EOF) {
			return records, nil
		} else if err != nil {
			return nil, err
		}
		records[next.Record] = append(records[next.Record], next)
	}
}

// historyOf leaves out writes of unknown outcome whose value was never read. That changes no
// verdict: such a write may always be taken to come last. Each one would double the work.
func historyOf(operations []operation) ([]porcupine.Operation, error) {
	wasRead := map[int64]bool{}
	wasWritten := map[int64]bool{}
	for _, each := range operations {
		switch {
		case each.Kind == "read" && each.Returned != nil:
			wasRead[each.Value] = true
		case each.Kind == "write" && each.Value != 0 && !wasWritten[each.Value]:
			wasWritten[each.Value] = true
		default:
			return nil, fmt.Errorf("this is no operation, or its value is not new: %+v", each)
		}
	}
	history := make([]porcupine.Operation, 0, len(operations))
	for _, each := range operations {
		returned := int64(math.MaxInt64)
		if each.Returned != nil {
			returned = *each.Returned
		} else if !wasRead[each.Value] {
			continue
		}
		history = append(history, porcupine.Operation{
			ClientId: each.Client, Input: each, Call: each.Invoked, Return: returned,
		})
	}
	return history, nil
}
