// Protobuf by hand: what is written and read of the few messages that the router knows.
package main

import (
	"errors"

	"google.golang.org/protobuf/encoding/protowire"
)

var errMalformed = errors.New("a message is malformed")

// A message that is being written. Values of zero are not written.
type written []byte

func (message *written) text(number protowire.Number, value string) {
	message.bytes(number, []byte(value))
}

func (message *written) bytes(number protowire.Number, value []byte) {
	if len(value) > 0 {
		message.nested(number, value)
	}
}

func (message *written) nested(number protowire.Number, value []byte) {
	*message = protowire.AppendTag(*message, number, protowire.BytesType)
	*message = protowire.AppendBytes(*message, value)
}

func (message *written) integer(number protowire.Number, value uint64) {
	if value != 0 {
		*message = protowire.AppendTag(*message, number, protowire.VarintType)
		*message = protowire.AppendVarint(*message, value)
	}
}

func (message *written) flag(number protowire.Number, value bool) {
	if value {
		message.integer(number, 1)
	}
}

// One entry of a message that is being read.
type entry struct {
	number protowire.Number
	// Of entries with a length.
	bytes   []byte
	integer uint64
}

// Reads a message entry by entry.
func entries(body []byte, each func(entry) error) error {
	for len(body) > 0 {
		number, kind, length := protowire.ConsumeTag(body)
		if length < 0 {
			return errMalformed
		}
		body = body[length:]
		found := entry{number: number}
		switch kind {
		case protowire.BytesType:
			found.bytes, length = protowire.ConsumeBytes(body)
		case protowire.VarintType:
			found.integer, length = protowire.ConsumeVarint(body)
		default:
			length = protowire.ConsumeFieldValue(number, kind, body)
		}
		if length < 0 {
			return errMalformed
		}
		body = body[length:]
		if err := each(found); err != nil {
			return err
		}
	}
	return nil
}

// The texts of one number.
func texts(body []byte, number protowire.Number) ([]string, error) {
	var found []string
	err := entries(body, func(one entry) error {
		if one.number == number {
			found = append(found, string(one.bytes))
		}
		return nil
	})
	return found, err
}
