// The listener for SDKs: their hello, their probes, and what they host.
package main

import (
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/openziti/channel/v5"
	"github.com/openziti/transport/v2"
	"github.com/openziti/transport/v2/tls"
)

const (
	typeProbe       = 3
	typeConnect     = 60783
	typeConnected   = 60784
	typeClosed      = 60785
	typeData        = 60786
	typeDial        = 60787
	typeDialSuccess = 60788
	typeDialFailed  = 60789
	typeBind        = 60790
	typeUnbind      = 60791

	headerConnection     = 1000
	headerPublicKey      = 1003
	headerCost           = 1004
	headerPrecedence     = 1005
	headerInstance       = 1006
	headerInstanceSecret = 1007
	headerCallerID       = 1008
	headerCryptoMethod   = 1009
	headerFlags          = 1010
	headerAppData        = 1011
	headerNewConnection  = 1012
	headerErrorCode      = 1014
	headerMarker         = 1025
	headerCircuit        = 1026
	headerStickiness     = 1027
	headerStructured     = 1033
	headerDialerID       = 1034
	headerDialerName     = 1035
	headerMessageID      = 128
	headerRetryHint      = 18

	apiSessionHeader = 1002
)

// A connected SDK.
type client struct {
	token   string
	channel channel.Channel
	// The next id of a connection that the router opens to it.
	lock sync.Mutex
	next uint32
}

func (to *client) newConnection() uint32 {
	to.lock.Lock()
	defer to.lock.Unlock()
	to.next++
	return to.next
}

func (to *client) send(message *channel.Message) {
	if err := to.channel.Send(message); err != nil {
		fmt.Fprintln(os.Stderr, "not sent to a client:", err)
	}
}

type clients struct {
	lock sync.Mutex
	all  map[*client]bool
}

func newClients() *clients { return &clients{all: map[*client]bool{}} }

func (connected *clients) closeWith(token string) {
	connected.lock.Lock()
	var ended []*client
	for one := range connected.all {
		if one.token == token {
			ended = append(ended, one)
		}
	}
	connected.lock.Unlock()
	for _, one := range ended {
		_ = one.channel.Close()
	}
}

// The hello of an SDK, before it is answered.
type helloCheck struct{ router *router }

func (check helloCheck) HandleConnection(hello *channel.Hello, shown []*x509.Certificate) error {
	if err := check.router.keys.trust(shown); err != nil {
		return err
	}
	return check.router.sessions.check(string(hello.Headers[apiSessionHeader]), shown)
}

func (router *router) listen() error {
	transport.AddAddressParser(tls.AddressParser{})
	endpoint, err := transport.ParseAddress(fmt.Sprintf("tls:127.0.0.1:%d", router.edgePort))
	if err != nil {
		return err
	}
	config := channel.DefaultListenerConfig()
	config.ConnectTimeout = 10 * time.Second
	config.Headers = map[int32][]byte{channel.HelloVersionHeader: []byte(version)}
	listener := channel.NewClassicListener(router.id, endpoint, config)
	if err := listener.Listen(helloCheck{router}); err != nil {
		return err
	}
	go func() {
		for {
			accepted, err := listener.Create(time.Second)
			if err == nil {
				err = router.accept(accepted)
			}
			if err != nil && !channel.IsTimeout(err) {
				fmt.Fprintln(os.Stderr, "client:", err)
			}
		}
	}()
	return nil
}

func (router *router) accept(accepted channel.Underlay) error {
	made := &client{token: string(accepted.Headers()[apiSessionHeader]), next: 1 << 31}
	bind := channel.BindHandlerF(func(binding channel.Binding) error {
		made.channel = binding.GetChannel()
		router.bindClient(binding, made)
		return nil
	})
	router.clients.lock.Lock()
	router.clients.all[made] = true
	router.clients.lock.Unlock()
	_, err := channel.NewSingleChannelWithUnderlay("sdk", accepted, bind, channel.DefaultOptions())
	return err
}

func (router *router) bindClient(binding channel.Binding, from *client) {
	handle := func(contentType int32, handler func(*client, *channel.Message)) {
		binding.AddReceiveHandlerF(contentType, func(message *channel.Message, _ channel.Channel) {
			handler(from, message)
		})
	}
	handle(typeProbe, func(_ *client, message *channel.Message) {
		answer := channel.NewResult(true, "")
		answer.ReplyTo(message)
		from.send(answer)
	})
	handle(typeBind, func(_ *client, message *channel.Message) { go router.bind(from, message) })
	handle(typeConnect, func(_ *client, message *channel.Message) { go router.connectClient(from, message) })
	handle(typeData, router.pass)
	handle(typeClosed, router.closed)
	handle(typeUnbind, router.closed)
	binding.AddCloseHandler(channel.CloseHandlerF(func(channel.Channel) {
		router.clients.lock.Lock()
		delete(router.clients.all, from)
		router.clients.lock.Unlock()
		for _, host := range router.hosts.of(from) {
			router.closeHost(host, "")
		}
		for _, ended := range router.circuits.of(from) {
			router.endCircuit(ended, "the other side is gone", from)
		}
	}))
}

// What a client hosts: a terminator.
type host struct {
	id          string
	client      *client
	connection  uint32
	token       string
	sessionID   string
	request     []byte
	isConfirmed bool
}

type hosts struct {
	lock sync.Mutex
	byID map[string]*host
}

func newHosts() *hosts { return &hosts{byID: map[string]*host{}} }

func (known *hosts) matching(is func(*host) bool) []*host {
	known.lock.Lock()
	defer known.lock.Unlock()
	var found []*host
	for _, one := range known.byID {
		if is(one) {
			found = append(found, one)
		}
	}
	return found
}

func (known *hosts) all() []*host {
	return known.matching(func(*host) bool { return true })
}

func (known *hosts) of(client *client) []*host {
	return known.matching(func(one *host) bool { return one.client == client })
}

func (known *hosts) ofSession(id string) []*host {
	return known.matching(func(one *host) bool { return one.sessionID == id })
}

func (known *hosts) find(id string) *host {
	known.lock.Lock()
	defer known.lock.Unlock()
	return known.byID[id]
}

func (router *router) bind(from *client, message *channel.Message) {
	made, err := router.newHost(from, message)
	if err == nil {
		err = router.establish(made)
	}
	if err != nil {
		from.send(refusal(message, 8, 2, err.Error()))
		return
	}
	router.hosts.lock.Lock()
	router.hosts.byID[made.id] = made
	router.hosts.lock.Unlock()
	answer := channel.NewMessage(typeConnected, nil)
	answer.PutUint32Header(headerConnection, made.connection)
	answer.PutBoolHeader(headerNewConnection, true)
	answer.ReplyTo(message)
	from.send(answer)
}

func (router *router) newHost(from *client, message *channel.Message) (*host, error) {
	token := string(message.Body)
	claims, err := router.keys.sessionOf(token)
	if err != nil {
		return nil, err
	}
	if session, isThere := router.sessions.find(from.token); !isThere || session.id != claims.APISession {
		return nil, fmt.Errorf("the service session is one of another client")
	}
	if claims.Type != "Bind" {
		return nil, fmt.Errorf("the service session is one for %s", claims.Type)
	}
	connection, _ := message.GetUint32Header(headerConnection)
	cost, _ := message.GetUint16Header(headerCost)
	precedence, _ := message.GetByteHeader(headerPrecedence)
	id := newID()
	var request written
	request.text(1, id)
	request.text(2, token)
	if key, isThere := message.Headers[headerPublicKey]; isThere {
		request.nested(4, peerEntry(headerPublicKey, key))
	}
	request.integer(5, uint64(cost))
	request.integer(6, uint64(precedence))
	request.bytes(7, message.Headers[headerInstance])
	request.bytes(8, message.Headers[headerInstanceSecret])
	request.text(9, from.token)
	return &host{
		id: id, client: from, connection: connection, token: token, sessionID: claims.ID, request: request,
	}, nil
}

// Has the controller create the terminator, which may be there already.
func (router *router) establish(made *host) error {
	answer, err := router.control.request(channel.NewMessage(typeCreateTerminator, made.request), requestTimeout)
	if err != nil {
		return err
	}
	var result uint64
	var text string
	err = entries(answer.Body, func(one entry) error {
		switch one.number {
		case 2:
			result = one.integer
		case 3:
			text = string(one.bytes)
		}
		return nil
	})
	if err == nil && result != 0 {
		err = fmt.Errorf("the terminator is refused (%d): %s", result, text)
	}
	return err
}

// Ends what is hosted; with a reason the client is told.
func (router *router) closeHost(ended *host, reason string) {
	router.hosts.lock.Lock()
	_, isThere := router.hosts.byID[ended.id]
	delete(router.hosts.byID, ended.id)
	router.hosts.lock.Unlock()
	if !isThere {
		return
	}
	if reason != "" {
		closed := channel.NewMessage(typeClosed, []byte(reason))
		closed.PutUint32Header(headerConnection, ended.connection)
		ended.client.send(closed)
	}
	var gone written
	gone.text(1, ended.id)
	go router.control.send(channel.NewMessage(typeRemoveTerminators, gone))
}

// Says which terminators are here, and creates those again that the controller has not named.
func (router *router) validateTerminators(message *channel.Message) error {
	var states written
	named := map[string]bool{}
	err := entries(message.Body, func(one entry) error {
		if one.number != 1 {
			return nil
		}
		var id string
		var marker uint64
		err := entries(one.bytes, func(part entry) error {
			switch part.number {
			case 1:
				id = string(part.bytes)
			case 4:
				marker = part.integer
			}
			return nil
		})
		isHere := router.hosts.find(id) != nil
		named[id] = true
		var state, pair written
		state.flag(1, isHere)
		if !isHere {
			state.integer(2, 1)
		}
		state.integer(4, marker)
		pair.text(1, id)
		pair.nested(2, state)
		states.nested(1, pair)
		return err
	})
	answer := channel.NewMessage(typeTerminatorStates, states)
	answer.ReplyTo(message)
	router.control.send(answer)
	return err
}

// A refusal as an answer, in both forms that SDKs read.
func refusal(to *channel.Message, code uint32, retryHint uint32, text string) *channel.Message {
	connection, _ := to.GetUint32Header(headerConnection)
	structured, _ := json.Marshal(map[string]any{"message": text, "code": code, "retryHint": retryHint})
	answer := channel.NewMessage(typeClosed, []byte(text))
	answer.PutUint32Header(headerConnection, connection)
	answer.PutUint32Header(headerErrorCode, code)
	answer.Headers[headerStructured] = structured
	answer.ReplyTo(to)
	return answer
}

// An entry of a map of bytes by numbers.
func peerEntry(key uint32, value []byte) []byte {
	var pair written
	pair.integer(1, uint64(key))
	pair.nested(2, value)
	return pair
}

const idCharacters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

func newID() string {
	random := make([]byte, 22)
	_, _ = rand.Read(random)
	for at, one := range random {
		random[at] = idCharacters[int(one)%len(idCharacters)]
	}
	return string(random)
}
