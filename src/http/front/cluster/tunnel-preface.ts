// The first bytes of a tunnel between two nodes: which client it carries.

import { Buffer } from 'node:buffer';
import { isIP } from 'node:net';
import {
  type ControlClientFacts,
  decodeClientFacts,
  encodeClientFacts,
  MalformedControlFrame,
} from '../control-frames.ts';
import type { FrontLimits } from '../tls-messages.ts';

/** What a client speaks: HTTP/1.1, or the control channel of routers. */
export type TunnelProtocol = 'requests' | 'control';

/** The client of a tunnel, as the node that took its connection saw it. */
export interface TunnelClient extends ControlClientFacts {
  readonly protocol: TunnelProtocol;
}

/** The first bytes of a tunnel are not those that a node writes. */
export class MalformedPreface extends Error {
  override readonly name = 'MalformedPreface';
}

/** All first bytes of a tunnel. A chain within its own bound fits. @bound per connection */
const prefaceBytesMax = 48 * 1024;

/** The length of what follows it, little-endian, then the protocol's place in this list. */
const headBytes = 5;
const protocols: readonly TunnelProtocol[] = ['requests', 'control'];

/** The bytes that a tunnel begins with. */
export function encodeTunnelPreface({ protocol, ...facts }: TunnelClient): Buffer {
  const parts = encodeClientFacts(facts);
  const head = Buffer.allocUnsafe(headBytes);
  head.writeUInt32LE(parts.reduce((sum, { length }) => sum + length, 1));
  head[headBytes - 1] = protocols.indexOf(protocol);
  return Buffer.concat([head, ...parts]);
}

/** Reads the first bytes of one tunnel, in whatever pieces they come. */
export class TunnelPrefaceReader {
  readonly #limits: Pick<FrontLimits, 'certificatesMax' | 'certificatesBytesMax'>;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #length = -1;

  /** `limits` are those of a client's chain. */
  constructor(limits: Pick<FrontLimits, 'certificatesMax' | 'certificatesBytesMax'>) {
    this.#limits = limits;
  }

  /**
   * Takes the next bytes. @returns the client once it is complete, with the bytes that followed
   * @throws MalformedPreface
   */
  take(chunk: Buffer): { readonly client: TunnelClient; readonly rest: Buffer } | undefined {
    this.#pieces.push(chunk);
    this.#bytes += chunk.length;
    if (this.#length < 0 && this.#bytes >= headBytes) {
      const length = Buffer.concat(this.#pieces).readUInt32LE(0);
      if (length > prefaceBytesMax) throw new MalformedPreface(`it has ${length} bytes`);
      this.#length = headBytes - 1 + length;
    }
    if (this.#length < 0 || this.#bytes < this.#length) return undefined;
    const bytes = Buffer.concat(this.#pieces);
    this.#pieces = [];
    return { client: this.#read(bytes), rest: bytes.subarray(this.#length) };
  }

  #read(bytes: Buffer): TunnelClient {
    const protocol = protocols[bytes[headBytes - 1] ?? -1];
    if (protocol === undefined || this.#length < headBytes) {
      throw new MalformedPreface('it names no protocol');
    }
    const facts = factsIn(bytes.subarray(headBytes, this.#length));
    const { certificatesMax, certificatesBytesMax } = this.#limits;
    const chainBytes = facts.certificates.reduce((sum, { length }) => sum + length, 0);
    if (facts.certificates.length > certificatesMax || chainBytes > certificatesBytesMax) {
      throw new MalformedPreface('it has too many certificates');
    }
    if (isIP(facts.address) === 0) throw new MalformedPreface('it has no address');
    // Routers are known by their certificate alone.
    if (protocol === 'control' && facts.certificates.length === 0) {
      throw new MalformedPreface('it has no certificate of a router');
    }
    return { protocol, ...facts };
  }
}

function factsIn(bytes: Buffer): ControlClientFacts {
  try {
    return decodeClientFacts(bytes);
  } catch (thrown) {
    if (thrown instanceof MalformedControlFrame) throw new MalformedPreface(thrown.message);
    throw thrown;
  }
}
