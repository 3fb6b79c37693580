// One identity of the stock Go SDK: hosts services as an echo, dials them, passes bytes through them.
//
// Its input is a line of JSON `{jwt, identityFile, url}`, then one line per command. Each command is
// answered by a line with its number; a flow that ends by itself is reported by a line of its own.
package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	mathrand "math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/openziti/sdk-golang/ziti"
	"github.com/openziti/sdk-golang/ziti/edge"
	"github.com/openziti/sdk-golang/ziti/enroll"
)

const dialTimeout = 15 * time.Second

type command struct {
	Number  int    `json:"number"`
	Do      string `json:"do"`
	Service string `json:"service"`
	// Of a flow.
	Name string `json:"name"`
	// How many dials at once.
	Times int `json:"times"`
	Bytes int `json:"bytes"`
}

type answer struct {
	Number int `json:"number,omitempty"`
	// Empty if the command succeeded.
	Error  string `json:"error"`
	Digest string `json:"digest,omitempty"`
	// Round trips of a flow.
	Rounds int64 `json:"rounds"`
	// The flow that has ended by itself.
	Ended string `json:"ended,omitempty"`
}

type user struct {
	client ziti.Context
	output sync.Mutex
	flows  sync.Map
	hasMfa bool
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	var asked struct {
		JWT          string `json:"jwt"`
		IdentityFile string `json:"identityFile"`
		// Where the API is, if it is not where the identity was enrolled.
		URL string `json:"url"`
	}
	lines.Scan()
	if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
		panic(err)
	}
	if err := enrollTo(asked.JWT, asked.IdentityFile, asked.URL); err != nil {
		panic(err)
	}
	client, err := ziti.NewContextFromFile(asked.IdentityFile)
	if err != nil {
		panic(err)
	}
	defer client.Close()
	used := &user{client: client}
	for lines.Scan() {
		var ordered command
		if err := json.Unmarshal(lines.Bytes(), &ordered); err != nil {
			panic(err)
		}
		go used.carryOut(ordered)
	}
}

func enrollTo(jwt string, identityFile string, url string) error {
	claims, token, err := enroll.ParseToken(jwt)
	if err != nil {
		return err
	}
	flags := enroll.EnrollmentFlags{Token: claims, JwtToken: token, JwtString: jwt}
	if err := flags.KeyAlg.Set("EC"); err != nil {
		return err
	}
	config, err := enroll.Enroll(flags)
	if err != nil {
		return err
	}
	if url != "" {
		config.ZtAPI = url + "/edge/client/v1"
		config.ZtAPIs = nil
	}
	text, err := json.Marshal(config)
	if err != nil {
		return err
	}
	return os.WriteFile(identityFile, text, 0o600)
}

func (used *user) say(said answer) {
	used.output.Lock()
	defer used.output.Unlock()
	text, _ := json.Marshal(said)
	fmt.Println(string(text))
}

func (used *user) carryOut(ordered command) {
	said, err := used.result(ordered)
	said.Number = ordered.Number
	if err != nil {
		said.Error = err.Error()
	}
	used.say(said)
}

func (used *user) result(ordered command) (answer, error) {
	switch ordered.Do {
	case "host":
		return answer{}, used.host(ordered.Service)
	case "dial":
		return answer{}, used.dialAtOnce(ordered.Service, ordered.Times)
	case "send":
		digest, err := used.send(ordered.Service, ordered.Bytes)
		return answer{Digest: digest}, err
	case "flow":
		return answer{}, used.flow(ordered.Service, ordered.Name)
	case "rounds":
		begun, isThere := used.flows.Load(ordered.Name)
		if !isThere {
			return answer{}, errors.New("there is no such flow")
		}
		return answer{Rounds: begun.(*flow).rounds.Load()}, nil
	case "close":
		if begun, isThere := used.flows.LoadAndDelete(ordered.Name); isThere {
			return begun.(*flow).finish()
		}
		return answer{}, errors.New("there is no such flow")
	case "mfa":
		return answer{}, used.enrollMfa()
	case "call":
		identity, err := used.client.GetCurrentIdentity()
		if err == nil && (identity.ID == nil || *identity.ID == "") {
			err = errors.New("the answer names no identity")
		}
		return answer{}, err
	}
	return answer{}, fmt.Errorf("unknown command %s", ordered.Do)
}

// Hosts a service until the process ends; whatever arrives is sent back.
func (used *user) host(service string) error {
	listener, err := used.client.ListenWithOptions(service, &ziti.ListenOptions{
		ConnectTimeout: 20 * time.Second, MaxTerminators: 2, WaitForNEstablishedListeners: 1,
	})
	if err != nil {
		return err
	}
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				_, _ = io.Copy(connection, connection)
				_ = connection.Close()
			}()
		}
	}()
	return nil
}

func (used *user) dial(service string) (edge.Conn, error) {
	return used.client.DialWithOptions(service, &ziti.DialOptions{ConnectTimeout: dialTimeout})
}

func (used *user) dialAtOnce(service string, times int) error {
	failures := make(chan error, times)
	for number := range times {
		go func() { failures <- used.dialOnce(service, number) }()
	}
	var failed int
	var last error
	for range times {
		if err := <-failures; err != nil {
			failed++
			last = err
		}
	}
	if failed == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d failed, the last one: %w", failed, times, last)
}

func (used *user) dialOnce(service string, number int) error {
	connection, err := used.dial(service)
	if err != nil {
		return err
	}
	defer func() { _ = connection.Close() }()
	return roundTrip(connection, fmt.Appendf(nil, "ping %d", number))
}

func roundTrip(connection edge.Conn, sent []byte) error {
	back, err := exchange(connection, sent)
	if err == nil && !bytes.Equal(sent, back) {
		err = fmt.Errorf("%q came back as %q", sent, back)
	}
	return err
}

// Sends bytes, and reads as many.
func exchange(connection edge.Conn, sent []byte) ([]byte, error) {
	if err := connection.SetReadDeadline(time.Now().Add(dialTimeout)); err != nil {
		return nil, err
	}
	if _, err := connection.Write(sent); err != nil {
		return nil, err
	}
	back := make([]byte, len(sent))
	_, err := io.ReadFull(connection, back)
	return back, err
}

// Sends so many bytes, reads them back, and compares the digests.
func (used *user) send(service string, count int) (string, error) {
	connection, err := used.dial(service)
	if err != nil {
		return "", err
	}
	defer func() { _ = connection.Close() }()
	sent := sha256.New()
	failed := make(chan error, 1)
	go func() {
		source := io.LimitReader(mathrand.NewChaCha8([32]byte{1}), int64(count))
		_, err := io.Copy(io.MultiWriter(connection, sent), source)
		failed <- err
	}()
	back := sha256.New()
	if _, err := io.CopyN(back, connection, int64(count)); err != nil {
		return "", err
	}
	if err := <-failed; err != nil {
		return "", err
	}
	if !bytes.Equal(sent.Sum(nil), back.Sum(nil)) {
		return "", errors.New("the digests differ")
	}
	return fmt.Sprintf("%x", back.Sum(nil)), nil
}

// A connection on which one message after the other goes there and back, until it is told to stop.
type flow struct {
	connection edge.Conn
	rounds     atomic.Int64
	stop       chan struct{}
	ended      chan struct{}
	// What was sent, and what came back.
	sent hash.Hash
	back hash.Hash
	err  error
}

func (used *user) flow(service string, name string) error {
	connection, err := used.dial(service)
	if err != nil {
		return err
	}
	begun := &flow{
		connection: connection, stop: make(chan struct{}), ended: make(chan struct{}),
		sent: sha256.New(), back: sha256.New(),
	}
	if err := begun.round(); err != nil {
		return err
	}
	used.flows.Store(name, begun)
	go func() {
		defer close(begun.ended)
		for {
			select {
			case <-begun.stop:
				return
			case <-time.After(5 * time.Millisecond):
			}
			if begun.err = begun.round(); begun.err != nil {
				_, isOurs := used.flows.LoadAndDelete(name)
				_ = connection.Close()
				if isOurs {
					used.say(answer{Ended: name, Error: begun.err.Error(), Rounds: begun.rounds.Load()})
				}
				return
			}
		}
	}()
	return nil
}

func (begun *flow) round() error {
	message := fmt.Appendf(nil, "message %d", begun.rounds.Load())
	begun.sent.Write(message)
	back, err := exchange(begun.connection, message)
	if err != nil {
		return err
	}
	begun.back.Write(back)
	begun.rounds.Add(1)
	return nil
}

// Ends a flow, and compares the digests of all that it has sent and read.
func (begun *flow) finish() (answer, error) {
	close(begun.stop)
	<-begun.ended
	if begun.err != nil {
		return answer{}, begun.err
	}
	sent, back := begun.sent.Sum(nil), begun.back.Sum(nil)
	if !bytes.Equal(sent, back) {
		return answer{}, errors.New("the digests differ")
	}
	said := answer{Digest: fmt.Sprintf("%x", back), Rounds: begun.rounds.Load()}
	return said, begun.connection.Close()
}
