// The addresses of the controller: they are dialed in turn, and replaced by what the controller tells.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/openziti/channel/v5"
	"github.com/openziti/transport/v2"
)

const addressesFile = "controller"

// The addresses of one controller, each line of a file one.
type addresses struct {
	file string
	lock sync.Mutex
	all  []string
	// Where the next connection goes to.
	next int
	// Of the last list that was taken.
	index  uint64
	dialer func(transport.Address) channel.DialUnderlayFactory
}

func readAddresses(
	home string, dialer func(transport.Address) channel.DialUnderlayFactory,
) (*addresses, error) {
	file := filepath.Join(home, addressesFile)
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return &addresses{file: file, all: strings.Fields(string(text)), dialer: dialer}, nil
}

// Create dials without headers.
func (known *addresses) Create(timeout time.Duration) (channel.Underlay, error) {
	return known.CreateWithHeaders(timeout, nil)
}

// CreateWithHeaders dials one address. After a failure the next attempt goes to the next one.
func (known *addresses) CreateWithHeaders(
	timeout time.Duration, headers map[int32][]byte,
) (channel.Underlay, error) {
	known.lock.Lock()
	address := known.all[known.next%len(known.all)]
	known.lock.Unlock()
	endpoint, err := transport.ParseAddress(address)
	if err != nil {
		return nil, err
	}
	opened, err := known.dialer(endpoint).CreateWithHeaders(timeout, headers)
	if err != nil {
		fmt.Fprintln(os.Stderr, "not connected to", address, err)
		known.lock.Lock()
		known.next++
		known.lock.Unlock()
		return nil, err
	}
	fmt.Fprintln(os.Stderr, "connected to", address)
	return opened, nil
}

// Takes a list that is newer than the last one. The address in use stays the first to be dialed.
func (known *addresses) take(body []byte, controllerID string) error {
	var index uint64
	var told []string
	err := entries(body, func(one entry) error {
		switch one.number {
		case 2:
			index = one.integer
		case 4:
			found, err := endpointsOf(one.bytes, controllerID)
			told = append(told, found...)
			return err
		}
		return nil
	})
	if err != nil {
		return err
	}
	known.lock.Lock()
	defer known.lock.Unlock()
	if index <= known.index || len(told) == 0 {
		return nil
	}
	inUse := known.all[known.next%len(known.all)]
	known.index, known.all, known.next = index, told, 0
	for place, address := range told {
		if address == inUse {
			known.next = place
		}
	}
	fmt.Fprintln(os.Stderr, "the controller is at", strings.Join(told, " "))
	return os.WriteFile(known.file, []byte(strings.Join(told, "\n")), 0o600)
}

// The addresses of a controller, or an error if it is another one.
func endpointsOf(controller []byte, controllerID string) ([]string, error) {
	var found []string
	err := entries(controller, func(one entry) error {
		switch one.number {
		case 1:
			if id := string(one.bytes); id != controllerID {
				return fmt.Errorf("the list names %s, but the controller is %s", id, controllerID)
			}
		case 2:
			told, err := texts(one.bytes, 1)
			found = append(found, told...)
			return err
		}
		return nil
	})
	return found, err
}
