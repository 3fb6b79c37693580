// Has 64-bit integers read as numbers. This module must be loaded before the generated codecs.

import protobuf from 'protobufjs/minimal.js';

// Every 64-bit value of this channel is a time, a duration or a counter, and below 2^53.
Reflect.set(protobuf.util, 'Long', undefined);
protobuf.configure();
