// The control channel: it is dialed, greeted, and dialed again whenever it is lost.
package main

import (
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
	typeFault               = 1004
	typeRoute               = 1005
	typeUnroute             = 1006
	typeRouteResult         = 1022
	typeUpdateAddresses     = 1037
	typeRemoveTerminators   = 1038
	typeValidateTerminators = 1041
	typeTerminatorStates    = 1042
	typeServerHello         = 20000
	typeClientHello         = 20001
	typeSessionRemoved      = 20102
	typeSessionsAdded       = 20200
	typeSessionsUpdated     = 20201
	typeSessionsRemoved     = 20202
	typeValidateSessions    = 20213
	typeCreateTerminator    = 20216
	typeCreateCircuit       = 20218
	typeCircuitCreated      = 20219
	typeModelChanges        = 20501

	headerCapabilities = 1002
	headerSync         = 1014

	connectionType = "ctrl.default"
	requestTimeout = 5 * time.Second
	// Connections, groups, terminators v2 and public keys: bits 1, 2, 4, 5, 6 and 62.
	capabilities = "\x40\x00\x00\x00\x00\x00\x00\x76"
	version      = "v2.1.0|twin|2026-11-01 00:00:00|linux|amd64"
)

// The control channel of a router.
type control struct {
	router    *router
	addresses *addresses
	lock      sync.Mutex
	channel   channel.Channel
}

func newControl(of *router) *control {
	return &control{router: of}
}

// The one queue of the channel, whatever connection it leaves by.
type oneQueue struct {
	channel.SenderContext
	queue *channel.MessageQueue
}

func (senders *oneQueue) GetDefaultSender() channel.Sender { return senders.queue.Sender }

func (senders *oneQueue) HandleTxFailed(_ string, lost channel.Sendable) bool {
	return channel.RetryToQueues(senders.queue)("", lost)
}

func (router *router) connect(home string) error {
	transport.AddAddressParser(tls.AddressParser{})
	known, err := readAddresses(home, func(endpoint transport.Address) channel.DialUnderlayFactory {
		return channel.NewClassicDialer(channel.DialerConfig{
			Identity: router.id,
			Endpoint: endpoint,
			Headers: channel.Headers{
				channel.HelloVersionHeader: []byte(version),
				headerCapabilities:         []byte(capabilities),
			},
			TransportConfig: transport.Configuration{"protocol": "ziti-ctrl"},
		})
	})
	if err != nil {
		return err
	}
	router.control.addresses = known
	policy := channel.NewBackoffDialPolicyWithConfig(known, channel.BackoffConfig{
		BaseDelay: 100 * time.Millisecond, MaxDelay: time.Second,
	})
	first, err := router.dialFirst(policy)
	if err != nil {
		return err
	}
	senders := &oneQueue{SenderContext: channel.NewSenderContext()}
	senders.queue = channel.NewMessageQueue(senders.SenderContext, 16)
	source := channel.MakeSingleQueueMessageSource(senders.GetCloseNotify(), senders.queue.C)
	opened, err := channel.NewChannel(&channel.Config{
		LogicalName:            "ctrl",
		Options:                channel.DefaultOptions(),
		Binder:                 channel.MakeBinder(channel.BindHandlerF(router.bindControl)),
		Underlay:               first,
		Senders:                senders,
		MessageSourceProvider:  channel.NewSimpleMessageSourceProvider(source),
		DialPolicy:             policy,
		Constraints:            map[string]channel.UnderlayConstraint{connectionType: {Desired: 1}},
		UnderlayEventListeners: []channel.UnderlayEventListener{router.control},
	})
	if err != nil {
		return err
	}
	router.control.use(opened)
	return nil
}

// Dials until the controller accepts, as it may not be there yet.
func (router *router) dialFirst(policy channel.DialPolicy) (channel.Underlay, error) {
	for attempt := 0; ; attempt++ {
		first, err := policy.Dial(connectionType, "", nil, true, 5*time.Second, nil)
		if err == nil || attempt == 100 {
			return first, err
		}
		fmt.Fprintln(os.Stderr, "unable to connect controller:", err)
		time.Sleep(100 * time.Millisecond)
	}
}

func (control *control) use(opened channel.Channel) {
	control.lock.Lock()
	defer control.lock.Unlock()
	control.channel = opened
}

// UnderlayAdded is called for each connection. After a new one the terminators are asked about.
func (control *control) UnderlayAdded(opened channel.Channel, _ channel.Underlay) {
	control.use(opened)
	fmt.Fprintln(os.Stderr, "control channel connected")
	go func() {
		var asked written
		for _, host := range control.router.hosts.all() {
			asked.nested(1, []byte(host.sessionID))
		}
		if len(asked) > 0 {
			control.send(channel.NewMessage(typeValidateSessions, asked))
		}
	}()
}

// UnderlayRemoved is called for each connection that is gone.
func (control *control) UnderlayRemoved(channel.Channel, channel.Underlay) {
	fmt.Fprintln(os.Stderr, "control channel disconnected")
}

func (control *control) send(message *channel.Message) {
	control.lock.Lock()
	opened := control.channel
	control.lock.Unlock()
	if err := message.WithTimeout(requestTimeout).Send(opened); err != nil {
		fmt.Fprintln(os.Stderr, "not sent to the controller:", err)
	}
}

func (control *control) request(message *channel.Message, limit time.Duration) (*channel.Message, error) {
	control.lock.Lock()
	opened := control.channel
	control.lock.Unlock()
	return message.WithTimeout(limit).SendForReply(opened)
}

type heartbeats struct {
	channel channel.Channel
	heard   time.Time
	lock    sync.Mutex
}

func (beats *heartbeats) HeartbeatTx(int64)     {}
func (beats *heartbeats) HeartbeatRx(int64)     {}
func (beats *heartbeats) HeartbeatRespTx(int64) {}
func (beats *heartbeats) HeartbeatRespRx(int64) {
	beats.lock.Lock()
	defer beats.lock.Unlock()
	beats.heard = time.Now()
}

// CheckHeartBeat says when the controller does not answer, which is the end of this router.
func (beats *heartbeats) CheckHeartBeat() {
	beats.lock.Lock()
	defer beats.lock.Unlock()
	if silent := time.Since(beats.heard); silent > 30*time.Second {
		fmt.Fprintln(os.Stderr, "no heartbeat response for", silent)
	}
}

func (router *router) bindControl(binding channel.Binding) error {
	beats := &heartbeats{channel: binding.GetChannel(), heard: time.Now()}
	channel.ConfigureHeartbeat(binding, 10*time.Second, time.Second, beats)
	handle := func(contentType int32, handler func(*channel.Message) error) {
		binding.AddReceiveHandlerF(contentType, func(message *channel.Message, _ channel.Channel) {
			if err := handler(message); err != nil {
				fmt.Fprintln(os.Stderr, "message", contentType, err)
			}
		})
	}
	handle(typeServerHello, router.greet)
	handle(typeSessionsAdded, router.addSessions)
	handle(typeSessionsUpdated, router.updateSessions)
	handle(typeSessionsRemoved, router.removeSessions)
	handle(typeSessionRemoved, router.endServiceSessions)
	handle(typeModelChanges, func(message *channel.Message) error {
		return router.keys.apply(message.Body)
	})
	handle(typeValidateTerminators, router.validateTerminators)
	handle(typeUpdateAddresses, func(message *channel.Message) error {
		return router.control.addresses.take(message.Body, binding.GetChannel().Id())
	})
	handle(typeUnroute, router.unroute)
	binding.AddReceiveHandlerF(typeRoute, func(message *channel.Message, _ channel.Channel) {
		go router.route(message)
	})
	return nil
}

func (router *router) greet(message *channel.Message) error {
	port := uint64(router.edgePort)
	address := func(host string) []byte {
		var made written
		made.text(10, fmt.Sprintf("tls:%s:%d", host, port))
		made.text(20, "tls")
		made.text(30, host)
		made.integer(40, port)
		return made
	}
	var listener, hello written
	listener.nested(10, address("127.0.0.1"))
	listener.nested(20, address("localhost"))
	hello.text(1, "v2.1.0")
	hello.text(2, "localhost")
	hello.nested(10, listener)
	answer := channel.NewMessage(typeClientHello, hello)
	answer.ReplyTo(message)
	router.control.send(answer)
	return nil
}

func (router *router) addSessions(message *channel.Message) error {
	read, err := apiSessionsIn(message.Body, 2)
	if err != nil {
		return err
	}
	isFull := false
	err = entries(message.Body, func(one entry) error {
		isFull = isFull || one.number == 1 && one.integer == 1
		return nil
	})
	var chunk struct {
		IsLast   bool `json:"isLast"`
		Sequence int  `json:"sequence"`
	}
	if text, isThere := message.Headers[headerSync]; isThere && isFull && err == nil {
		err = json.Unmarshal(text, &chunk)
	}
	router.sessions.add(read, isFull && chunk.Sequence == 0, isFull && chunk.IsLast)
	return err
}

func (router *router) updateSessions(message *channel.Message) error {
	read, err := apiSessionsIn(message.Body, 1)
	router.sessions.add(read, false, false)
	return err
}

func apiSessionsIn(body []byte, number int) ([]apiSession, error) {
	var read []apiSession
	err := entries(body, func(one entry) error {
		if int(one.number) != number {
			return nil
		}
		session, err := apiSessionIn(one.bytes)
		read = append(read, session)
		return err
	})
	return read, err
}

// The API sessions are over: their connections are closed.
func (router *router) removeSessions(message *channel.Message) error {
	tokens, err := texts(message.Body, 1)
	for _, token := range tokens {
		router.sessions.remove(token)
		router.clients.closeWith(token)
	}
	return err
}

// Service sessions are over: what they host and dial ends.
func (router *router) endServiceSessions(message *channel.Message) error {
	ids, err := texts(message.Body, 2)
	for _, id := range ids {
		for _, host := range router.hosts.ofSession(id) {
			router.closeHost(host, "the session is over")
		}
		for _, ended := range router.circuits.ofSession(id) {
			router.endCircuit(ended, "the session is over", nil)
		}
	}
	return err
}
