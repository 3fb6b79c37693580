// Circuits: each joins the connection of a client that dials with one to a client that hosts.
package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/openziti/channel/v5"
)

const (
	headerAttempt      = 1101
	headerRouteSuccess = 1102
	headerRouteError   = 1103
	headerRouteCode    = 1104

	codeInvalidTerminator = 1
	codeRejected          = 5
	codeNoLink            = 8

	faultIngress = 0
	faultEgress  = 1

	peerStickiness = 1114
	peerDialerID   = 1115
	peerDialerName = 1116
)

// Which headers of a connect go into the peer data, and the keys that they have there.
var peerKeys = map[int32]uint32{
	headerPublicKey: headerPublicKey, headerCallerID: headerCallerID, headerAppData: headerAppData,
	headerMarker: headerMarker, headerStickiness: peerStickiness,
}

// Which peer data go into the headers of a dial.
var dialKeys = map[uint32]int32{
	headerPublicKey: headerPublicKey, headerCallerID: headerCallerID, headerAppData: headerAppData,
	headerMarker: headerMarker, peerDialerID: headerDialerID, peerDialerName: headerDialerName,
}

// A connection of a client.
type end struct {
	client     *client
	connection uint32
}

type circuit struct {
	id     string
	egress end
	// The session of the host, and later the one of the client that dials.
	sessionIDs []string
	// Held while data is sent, which keeps its order.
	lock    sync.Mutex
	ingress *end
	// What the host has sent before the client that dials knew of its connection.
	waiting []*channel.Message
}

type circuits struct {
	lock  sync.Mutex
	byID  map[string]*circuit
	byEnd map[end]*circuit
}

func newCircuits() *circuits {
	return &circuits{byID: map[string]*circuit{}, byEnd: map[end]*circuit{}}
}

func (known *circuits) add(made *circuit) {
	known.lock.Lock()
	defer known.lock.Unlock()
	known.byID[made.id] = made
	known.byEnd[made.egress] = made
}

func (known *circuits) find(id string) *circuit {
	known.lock.Lock()
	defer known.lock.Unlock()
	return known.byID[id]
}

func (known *circuits) at(one end) *circuit {
	known.lock.Lock()
	defer known.lock.Unlock()
	return known.byEnd[one]
}

func (known *circuits) of(client *client) []*circuit {
	known.lock.Lock()
	defer known.lock.Unlock()
	var found []*circuit
	for at, one := range known.byEnd {
		if at.client == client {
			found = append(found, one)
		}
	}
	return found
}

func (known *circuits) ofSession(id string) []*circuit {
	known.lock.Lock()
	defer known.lock.Unlock()
	var found []*circuit
	for _, one := range known.byID {
		for _, session := range one.sessionIDs {
			if session == id {
				found = append(found, one)
			}
		}
	}
	return found
}

// Takes it out. @returns whether it was there
func (known *circuits) remove(ended *circuit) bool {
	known.lock.Lock()
	defer known.lock.Unlock()
	if known.byID[ended.id] != ended {
		return false
	}
	delete(known.byID, ended.id)
	for at, one := range known.byEnd {
		if one == ended {
			delete(known.byEnd, at)
		}
	}
	return true
}

// A client dials: the controller is asked for a circuit.
func (router *router) connectClient(from *client, message *channel.Message) {
	answer, err := router.createCircuit(from, message)
	if err != nil {
		from.send(refusal(message, 1, 0, err.Error()))
		return
	}
	if answer.ContentType != typeCircuitCreated {
		code, _ := answer.GetUint32Header(headerErrorCode)
		hint, _ := answer.GetUint32Header(headerRetryHint)
		from.send(refusal(message, code, hint, string(answer.Body)))
		return
	}
	id, _ := answer.GetStringHeader(11)
	made := router.circuits.find(id)
	if made == nil {
		from.send(refusal(message, 1, 0, "the circuit has ended"))
		return
	}
	connection, _ := message.GetUint32Header(headerConnection)
	connected := channel.NewMessage(typeConnected, nil)
	connected.PutUint32Header(headerConnection, connection)
	connected.PutStringHeader(headerCircuit, id)
	peer, _, _ := answer.GetU32ToBytesMapHeader(10)
	if key, isThere := peer[headerPublicKey]; isThere {
		connected.Headers[headerPublicKey] = key
		connected.PutByteHeader(headerCryptoMethod, 0)
	}
	if token, isThere := peer[peerStickiness]; isThere {
		connected.Headers[headerStickiness] = token
	}
	connected.ReplyTo(message)
	router.attach(made, end{client: from, connection: connection}, sessionIDOf(message.Body), connected)
}

func (router *router) createCircuit(from *client, message *channel.Message) (*channel.Message, error) {
	peer := map[uint32][]byte{}
	for header, key := range peerKeys {
		if value, isThere := message.Headers[header]; isThere {
			peer[key] = value
		}
	}
	session, _ := router.sessions.find(from.token)
	asked := channel.NewMessage(typeCreateCircuit, nil)
	asked.PutStringHeader(11, string(message.Body))
	asked.PutStringSliceHeader(12, session.fingerprints)
	asked.PutStringHeader(13, string(message.Headers[headerInstance]))
	asked.PutStringHeader(14, from.token)
	asked.PutU32ToBytesMapHeader(10, peer)
	return router.control.request(asked, 30*time.Second)
}

// The client gets its answer, then what the host has sent meanwhile.
func (router *router) attach(made *circuit, at end, sessionID string, connected *channel.Message) {
	router.circuits.lock.Lock()
	router.circuits.byEnd[at] = made
	made.sessionIDs = append(made.sessionIDs, sessionID)
	router.circuits.lock.Unlock()
	made.lock.Lock()
	defer made.lock.Unlock()
	at.client.send(connected)
	for _, message := range made.waiting {
		at.client.send(passedOn(message, at.connection))
	}
	made.ingress, made.waiting = &at, nil
}

// Data goes to the other end.
func (router *router) pass(from *client, message *channel.Message) {
	connection, _ := message.GetUint32Header(headerConnection)
	at := end{client: from, connection: connection}
	carrying := router.circuits.at(at)
	if carrying == nil {
		return
	}
	carrying.lock.Lock()
	defer carrying.lock.Unlock()
	switch {
	case at != carrying.egress:
		carrying.egress.client.send(passedOn(message, carrying.egress.connection))
	case carrying.ingress == nil:
		carrying.waiting = append(carrying.waiting, message)
	default:
		carrying.ingress.client.send(passedOn(message, carrying.ingress.connection))
	}
}

func passedOn(message *channel.Message, connection uint32) *channel.Message {
	copied := channel.NewMessage(typeData, message.Body)
	copied.PutUint32Header(headerConnection, connection)
	for _, header := range []int32{headerFlags, headerMessageID} {
		if value, isThere := message.Headers[header]; isThere {
			copied.Headers[header] = value
		}
	}
	return copied
}

// A client closes a connection, or no longer hosts.
func (router *router) closed(from *client, message *channel.Message) {
	connection, _ := message.GetUint32Header(headerConnection)
	if ended := router.circuits.at(end{client: from, connection: connection}); ended != nil {
		router.endCircuit(ended, string(message.Body), from)
		return
	}
	for _, host := range router.hosts.of(from) {
		if host.connection == connection {
			router.closeHost(host, "")
		}
	}
}

// Ends a circuit: the ends hear of it, except the client that ended it, and so does the controller.
func (router *router) endCircuit(ended *circuit, reason string, by *client) {
	if !router.circuits.remove(ended) {
		return
	}
	ended.lock.Lock()
	ends := []end{ended.egress}
	if ended.ingress != nil {
		ends = append(ends, *ended.ingress)
	}
	ended.lock.Unlock()
	subject := uint64(faultEgress)
	for _, one := range ends {
		if one.client == by {
			if one != ended.egress {
				subject = faultIngress
			}
			continue
		}
		closed := channel.NewMessage(typeClosed, []byte(reason))
		closed.PutUint32Header(headerConnection, one.connection)
		one.client.send(closed)
	}
	var fault written
	fault.integer(1, subject)
	fault.text(2, ended.id)
	go router.control.send(channel.NewMessage(typeFault, fault))
}

func (router *router) unroute(message *channel.Message) error {
	ids, err := texts(message.Body, 1)
	for _, id := range ids {
		if ended := router.circuits.find(id); ended != nil {
			router.endCircuit(ended, "the circuit has ended", nil)
		}
	}
	return err
}

type egress struct {
	address     string
	destination string
	peer        map[uint32][]byte
}

// Dials the host of a route, and says how that went.
func (router *router) route(message *channel.Message) {
	var id string
	var attempt uint64
	var last *egress
	err := entries(message.Body, func(one entry) error {
		switch one.number {
		case 1:
			id = string(one.bytes)
		case 2:
			attempt = one.integer
		case 3:
			read, err := egressIn(one.bytes)
			last = read
			return err
		}
		return nil
	})
	answer := channel.NewMessage(typeRouteResult, []byte(id))
	answer.PutUint32Header(headerAttempt, uint32(attempt))
	answer.ReplyTo(message)
	code := byte(codeNoLink)
	if err == nil && last != nil {
		code, err = router.dialHost(id, last)
	} else if err == nil {
		err = fmt.Errorf("there is no egress, and this router has no links")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "route", id, err)
		answer.PutStringHeader(headerRouteError, err.Error())
		answer.PutByteHeader(headerRouteCode, code)
	} else {
		answer.PutBoolHeader(headerRouteSuccess, true)
	}
	router.control.send(answer)
}

func egressIn(body []byte) (*egress, error) {
	read := &egress{peer: map[uint32][]byte{}}
	err := entries(body, func(one entry) error {
		switch one.number {
		case 2:
			read.address = string(one.bytes)
		case 3:
			read.destination = string(one.bytes)
		case 4:
			var key uint64
			var value []byte
			err := entries(one.bytes, func(part entry) error {
				if part.number == 1 {
					key = part.integer
				} else {
					value = part.bytes
				}
				return nil
			})
			read.peer[uint32(key)] = value
			return err
		}
		return nil
	})
	return read, err
}

// @returns the code for the controller if there is an error
func (router *router) dialHost(id string, last *egress) (byte, error) {
	host := router.hosts.find(last.destination)
	if host == nil {
		return codeInvalidTerminator, fmt.Errorf("no terminator %s", last.destination)
	}
	if router.circuits.find(id) != nil {
		return 0, nil
	}
	connection := host.client.newConnection()
	made := &circuit{
		id: id, egress: end{client: host.client, connection: connection}, sessionIDs: []string{host.sessionID},
	}
	router.circuits.add(made)
	dial := channel.NewMessage(typeDial, []byte(host.token))
	dial.PutUint32Header(headerConnection, host.connection)
	dial.PutUint32Header(headerNewConnection, connection)
	dial.PutStringHeader(headerCircuit, id)
	for key, header := range dialKeys {
		if value, isThere := last.peer[key]; isThere {
			dial.Headers[header] = value
		}
	}
	if _, isThere := last.peer[headerPublicKey]; isThere {
		dial.PutByteHeader(headerCryptoMethod, 0)
	}
	answer, err := dial.WithTimeout(requestTimeout).SendForReply(host.client.channel)
	switch {
	case err == nil && answer.ContentType != typeDialSuccess:
		err = fmt.Errorf("the host refused: %s", answer.Body)
	case err == nil && len(answer.Body) == 4 && binary.LittleEndian.Uint32(answer.Body) != connection:
		err = fmt.Errorf("the host answered for another connection")
	}
	if err != nil {
		router.circuits.remove(made)
		return codeRejected, err
	}
	return 0, nil
}

// The id of the session of a token, without a check: the controller has made one.
func sessionIDOf(token []byte) string {
	claims, err := claimsIn(string(token))
	if err != nil {
		return string(token)
	}
	return claims.ID
}
