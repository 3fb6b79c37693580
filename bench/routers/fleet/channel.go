// A router's end of the control channel: its frames, what it answers, and what it reports unasked.

package main

import (
	"bytes"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"sync"
	"time"
)

const (
	headBytes = 20
	marker    = "\x03\x06\x09\x0c"

	typeResult          = 2
	typeHeartbeat       = 5
	typeServerHello     = 20000
	typeAPISessionAdded = 20200
	typeModelState      = 20500

	keyReplyFor          = 1
	keySuccess           = 2
	keyHeartbeat         = 5
	keyHeartbeatResponse = 6
	keyReflected         = 128
	keySyncState         = 1014

	beatTime   = 10 * time.Second
	reportTime = time.Second
	// Metrics are sent with each sixth heartbeat, once a minute.
	beatsPerMetrics = 6
	// Frames are at most this long here, with room to spare: a hundred API sessions have 15 KB.
	frameBytesMax = 16 << 20
)

// A message as it is sent on any channel; its headers are encoded.
type message struct {
	ContentType int32  `json:"contentType"`
	Headers     []byte `json:"headers"`
	Body        []byte `json:"body"`
}

// What each router reports: its links at once, then its cards and clients, metrics every minute.
type messages struct {
	Links         message `json:"links"`
	Interfaces    message `json:"interfaces"`
	ConnectEvents message `json:"connectEvents"`
	Metrics       message `json:"metrics"`
	// What it asks for at once besides; nothing if it has no type.
	Model message `json:"model"`
}

// A frame that has arrived. Its bytes are used again for the next one.
type frame struct {
	contentType, sequence int32
	headers               map[int32][]byte
	body                  []byte
}

type channel struct {
	session *tls.Conn
	head    [headBytes]byte
	writing sync.Mutex
	// Of the frame that was sent last.
	sequence int32
}

// Bytes of frames: idle routers hold none.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// Whether the hello is accepted: the first frame says so.
func (c *channel) isAccepted() bool {
	accepted := false
	err := c.read(func(result frame) {
		accepted = result.contentType == typeResult && bytes.Equal(result.headers[keySuccess], []byte{1})
	})
	return err == nil && accepted
}

// Answers until the connection ends.
func (c *channel) serve(r *router) {
	report := &r.fleet.messages
	beats := 0
	var timer *time.Timer
	timer = time.AfterFunc(beatTime, func() {
		sent := []message{heartbeat()}
		if beats++; beats%beatsPerMetrics == 0 {
			sent = append(sent, report.Metrics)
		}
		// A closed connection takes nothing and gets no further heartbeat.
		if c.send(sent...) == nil {
			timer.Reset(beatTime)
		}
	})
	defer timer.Stop()
	// If sending fails, reading fails too and ends the channel.
	_ = c.send(heartbeat(), report.Links)
	if report.Model.ContentType != 0 {
		_ = c.send(report.Model)
	}
	reporting := time.AfterFunc(reportTime, func() { _ = c.send(report.Interfaces, report.ConnectEvents) })
	defer reporting.Stop()
	for c.read(func(came frame) { c.take(r, came) }) == nil {
	}
}

func heartbeat() message {
	stamp := binary.LittleEndian.AppendUint64(nil, uint64(time.Now().UnixNano()))
	return message{typeHeartbeat, header(nil, keyHeartbeat, stamp), nil}
}

func (c *channel) take(r *router, came frame) {
	if stamp, isBeat := came.headers[keyHeartbeat]; isBeat {
		_ = c.send(message{typeHeartbeat, header(nil, keyHeartbeatResponse, stamp), nil})
	}
	switch came.contentType {
	case typeServerHello:
		said := r.clientHello
		reply := binary.LittleEndian.AppendUint32(nil, uint32(came.sequence))
		headers := header(nil, keyReplyFor, reply)
		if reflected, is := came.headers[keyReflected]; is {
			headers = header(headers, keyReflected, reflected)
		}
		_ = c.send(message{said.ContentType, append(headers, said.Headers...), said.Body})
	case typeAPISessionAdded:
		isLast := bytes.Contains(came.headers[keySyncState], []byte(`"isLast":true`))
		r.added(apiSessionsIn(came.body), isLast)
	case typeModelState:
		most := &r.fleet.modelBytes
		length := int64(len(came.body))
		for known := most.Load(); length > known && !most.CompareAndSwap(known, length); known = most.Load() {
		}
		r.note(&r.informedAt, &r.fleet.uninformed, r.fleet.informed)
	}
}

func (c *channel) read(take func(frame)) error {
	if _, err := io.ReadFull(c.session, c.head[:]); err != nil {
		return err
	}
	number := func(at int) uint32 { return binary.LittleEndian.Uint32(c.head[at:]) }
	headers, body := int64(number(12)), int64(number(16))
	if string(c.head[:4]) != marker || headers+body > frameBytesMax {
		return errors.New("no frame begins here")
	}
	buffer := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(buffer)
	buffer.Reset()
	buffer.Grow(int(headers + body))
	content := buffer.AvailableBuffer()[:headers+body]
	if _, err := io.ReadFull(c.session, content); err != nil {
		return err
	}
	came := frame{contentType: int32(number(4)), sequence: int32(number(8)), headers: map[int32][]byte{}}
	came.body = content[headers:]
	for rest := content[:headers]; len(rest) >= 8; {
		key, length := int32(binary.LittleEndian.Uint32(rest)), binary.LittleEndian.Uint32(rest[4:])
		rest = rest[8:]
		if int64(length) > int64(len(rest)) {
			return errors.New("a header is longer than its frame")
		}
		came.headers[key], rest = rest[:length], rest[length:]
	}
	take(came)
	return nil
}

// Sends messages in one write.
func (c *channel) send(sent ...message) error {
	buffer := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(buffer)
	buffer.Reset()
	c.writing.Lock()
	defer c.writing.Unlock()
	for _, one := range sent {
		c.sequence++
		numbers := []int32{one.ContentType, c.sequence, int32(len(one.Headers)), int32(len(one.Body))}
		buffer.WriteString(marker)
		for _, number := range numbers {
			buffer.Write(binary.LittleEndian.AppendUint32(buffer.AvailableBuffer(), uint32(number)))
		}
		buffer.Write(one.Headers)
		buffer.Write(one.Body)
	}
	_, err := c.session.Write(buffer.Bytes())
	return err
}

// Appends a header.
func header(to []byte, key uint32, value []byte) []byte {
	to = binary.LittleEndian.AppendUint32(to, key)
	to = binary.LittleEndian.AppendUint32(to, uint32(len(value)))
	return append(to, value...)
}

// How many API sessions (field 2) a message adds that is part of a full state (field 1).
func apiSessionsIn(body []byte) (count int64) {
	isFullState := false
	for len(body) > 0 {
		tag, tagBytes := binary.Uvarint(body)
		value, valueBytes := binary.Uvarint(body[max(0, tagBytes):])
		if tagBytes <= 0 || valueBytes <= 0 {
			return 0
		}
		body = body[tagBytes+valueBytes:]
		if tag == 1<<3 {
			isFullState = value != 0
		} else if tag == 2<<3|2 && value <= uint64(len(body)) {
			count, body = count+1, body[value:]
		} else {
			return 0
		}
	}
	if !isFullState {
		return 0
	}
	return count
}
