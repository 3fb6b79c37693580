// One client of a follower whose requests are divided: the node's own server is asked first, and
// the leader answers the requests that this server leaves to it (behaviour/cluster#reads).

import { Buffer } from 'node:buffer';
import { Duplex } from 'node:stream';
import { requestIdHeader } from '../../../platform/http-exchange.ts';
import type { SeatedClient } from '../connection-capacity.ts';
import type { FrontCounterName } from '../connection-table.ts';
import type { RelayedClient, SweptClient } from '../relayed-client.ts';
import { RequestFraming } from '../request-framing.ts';
import type { LostRequest, RequestFate } from '../tls-messages.ts';
import { AnswerFraming, MalformedAnswer } from './answer-framing.ts';
import type { TunneledClient } from './tunneled-client.ts';

/** The parts of a worker that a divided client uses. */
export interface DividedOwner {
  /** Whether this node leads by now, so that its own server answers everything. */
  readonly leads: boolean;
  /** Whether this node is about to end, so that clients are asked to close their connections. */
  readonly isLeaving: boolean;
  /** Request line and headers of one request. */
  readonly headerBytesMax: number;
  /** Serves a stream by the server of this node. */
  serveHere(client: RelayedClient): SeatedClient;
  /** Serves a stream by the leader, or when there is one. */
  serveThere(client: RelayedClient): TunneledClient;
  /** A new id of a request. */
  requestId(): string;
  /** Calls `then` when it is known what became of a request that the leader was sent. */
  fateOf(request: LostRequest, then: (fate: RequestFate) => void): void;
  /** The answer to a request of which nobody knows what became. */
  unknownOutcome(): Buffer;
  /** Whether the leader may have one more read as this node is behind; `leftBehind` ends it. */
  admitBehind(): boolean;
  leftBehind(): void;
  /** The answer to a read that may not. */
  tooFarBehind(): Buffer;
  /** The client is over. */
  dividedLeft(client: DividedClient): void;
  count(name: FrontCounterName, change: number): void;
}

/**
 * Its requests are answered one at a time. One that reads is asked of this node's server, and if
 * that answers 421, of the leader; all others go to the leader at once. A node that is behind
 * leaves the leader a few reads at a time, and the rest are answered 503. If the leader goes away
 * before it answers, the request is sent to the next leader where it was not done for certain. A
 * client that does not wait for its answers, or asks for a WebSocket, is the leader's from then on.
 *
 * Both servers are reached by a stream that looks like the connection of a client, so whatever
 * serves clients serves it.
 */
export class DividedClient implements SweptClient {
  active = true;
  quietSweeps = 0;
  headSweeps = 0;
  readonly #owner: DividedOwner;
  readonly #given: RelayedClient;
  readonly #socket: Duplex;
  readonly #framing: RequestFraming;
  #phase: 'silent' | 'open' | 'finishing' | 'closed' = 'silent';
  #here: Part | undefined;
  #there: Part | undefined;
  /** The part that all bytes go to from now on. */
  #whole: Part | undefined;
  /** The part that was asked last. */
  #asked: Part | undefined;
  #request: DividedRequest | undefined;
  /** Requests that were begun. */
  #begun = 0;
  /** Requests that were whole when a server sent its last byte. */
  #answered = 0;
  /** Bytes of the client that wait for the end of an answer. */
  #held: Buffer = nothing;
  /** Whether it ends with the present answer. */
  #isEnding = false;
  /** Whether the leader has yet to answer the present request because this node is behind. */
  #isBehind = false;

  constructor(owner: DividedOwner, given: RelayedClient) {
    this.#owner = owner;
    this.#given = given;
    this.#framing = new RequestFraming(owner.headerBytesMax);
    const { stream: socket } = given;
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#fromClient(chunk));
    socket.on('drain', () => {
      this.#here?.drained();
      this.#there?.drained();
    });
    for (const end of ['end', 'error', 'close']) {
      socket.on(end, () => this.closeFor('closedByClient'));
    }
  }

  /** `parked` between two requests. */
  get state(): 'silent' | 'busy' | 'parked' | 'finishing' | 'closed' {
    if (this.#phase !== 'open') return this.#phase;
    return this.#request === undefined && this.#whole === undefined ? 'parked' : 'busy';
  }

  get isInHead(): boolean {
    return this.#framing.isInHead;
  }

  get awaitsAnswer(): boolean {
    return this.state === 'busy' && this.#framing.wholeRequests > this.#answered;
  }

  takeSessionUse(): boolean {
    const isUsedHere = this.#here?.client?.takeSessionUse() === true;
    return this.#there?.client?.takeSessionUse() === true || isUsedHere;
  }

  /** Another node leads, or nobody: the former leader is asked nothing more. */
  leaderChanged(): void {
    const there = this.#there;
    if (there === undefined || there === this.#whole) return;
    const request = this.#request?.part === there ? this.#request : undefined;
    if (request !== undefined) request.isResent = false;
    // A request that the former leader does not have as a whole is the next one's.
    if (request?.isSent === true) request.isLast = true;
    else there.destroy();
  }

  finish(): void {
    if (this.#phase === 'finishing' || this.#phase === 'closed') return;
    if (this.state === 'busy') this.#isEnding = true;
    else this.#end();
  }

  closeFor(reason: FrontCounterName): void {
    if (this.#phase === 'closed') return;
    if (this.#phase !== 'finishing') this.#owner.count(reason, 1);
    this.#phase = 'closed';
    this.#socket.destroy();
    this.#dropParts();
    this.#owner.dividedLeft(this);
  }

  /** A part takes more bytes of the client. */
  partReads(part: Part): void {
    if (part === this.#asked && this.#held.length === 0) this.#socket.resume();
  }

  /** Takes bytes for the client. False if the part has to wait for `drained`. */
  fromPart(part: Part, chunk: Buffer): boolean {
    if (this.#phase !== 'open' || part !== this.#asked) return true;
    this.active = true;
    if (part === this.#whole) {
      this.#answered = this.#framing.wholeRequests;
      if (this.#framing.awaitsUpgrade) this.#framing.answered(chunk);
      return this.#write(chunk);
    }
    const request = this.#request;
    if (request === undefined) return true;
    try {
      return this.#pass(request, chunk);
    } catch (thrown) {
      if (!(thrown instanceof MalformedAnswer)) throw thrown;
      this.closeFor('closedByServer');
      return true;
    }
  }

  /**
   * The server of a part has ended it after the last byte. The server of this node does that to
   * close the client's connection. A tunnel also ends this way when its leader is killed.
   */
  partEnded(part: Part): void {
    if (part === this.#here && part === this.#asked) this.#end();
    else part.destroy();
  }

  /** A part is gone, and takes nothing any more. */
  partGone(part: Part): void {
    const isThere = part === this.#there;
    if (part === this.#here) this.#here = undefined;
    if (isThere) this.#there = undefined;
    const request = this.#request;
    if (part === this.#whole) this.#endWithLeader();
    else if (request === undefined || request.part !== part) return;
    else if (isThere && this.#phase === 'open') this.#lost(request, part);
    else this.#end();
  }

  #fromClient(chunk: Buffer): void {
    this.active = true;
    if (this.#phase === 'finishing' || this.#phase === 'closed') return;
    this.#phase = 'open';
    const bytes = this.#framing.take(chunk);
    if (bytes.length === 0) return;
    this.headSweeps = 0;
    if (this.#whole !== undefined) this.#send(this.#whole, bytes);
    else if (this.#request === undefined) this.#begin(bytes);
    else if (this.#request.isSent) {
      this.#held = bytes;
      this.#socket.pause();
    } else this.#goOn(this.#request, bytes);
  }

  /** Takes bytes that begin with a request. */
  #begin(bytes: Buffer): void {
    const { isRefused } = this.#framing;
    const whole = this.#framing.wholeRequests - this.#begun;
    this.#begun += 1;
    const isAlone = this.#framing.isBetweenRequests && whole === 1;
    if (whole > 0 && !isAlone) {
      this.#becomeWhole(this.#server(), bytes);
      return;
    }
    const method = safeMethod.exec(bytes.toString('latin1', 0, 8))?.[1];
    const isRead = isAlone && method !== undefined;
    const isHead = method === 'HEAD';
    const { asksClose } = this.#framing;
    const id = this.#owner.requestId();
    const asked = { bytes, isHead, isSent: isAlone, isResent: false, asksClose, id };
    this.#ask(asked, isRead || isRefused ? this.#part('here') : this.#server());
  }

  /** Takes bytes that begin with more of a request's body. */
  #goOn(request: DividedRequest, bytes: Buffer): void {
    const { wholeRequests, isBetweenRequests } = this.#framing;
    const isWhole = wholeRequests === this.#begun;
    if (wholeRequests > this.#begun || (isWhole && !isBetweenRequests)) {
      const { part, answer } = request;
      this.#request = undefined;
      this.#write(answer.held);
      this.#becomeWhole(part, bytes);
      return;
    }
    request.isSent = isWhole;
    this.#send(request.part, bytes);
    const { length = keptBytesMax } = request.bytes ?? {};
    const isKept = length + bytes.length <= keptBytesMax;
    request.bytes = isKept ? Buffer.concat([request.bytes ?? nothing, bytes]) : undefined;
  }

  #becomeWhole(part: Part, bytes: Buffer): void {
    this.#whole = part;
    this.#asked = part;
    this.#send(part, bytes);
  }

  /** Asks a part for the answer to a request, of which all bytes so far are kept. */
  #ask(asked: AskedRequest, part: Part): void {
    const answer = new AnswerFraming(this.#owner.headerBytesMax, asked.isHead);
    this.#request = { ...asked, part, answer, isLast: false };
    this.#asked = part;
    const { bytes = nothing, id } = asked;
    const isNamed = part === this.#there;
    this.#send(part, isNamed ? named(bytes, id) : bytes);
  }

  /** The leader has gone away without the whole answer. */
  #lost(request: DividedRequest, part: Part): void {
    const { answer, bytes, id, isSent } = request;
    const { notedIn: term, hasSent = false } = part.tunnel ?? {};
    if (answer.isOver) this.#end();
    else if (answer.hasBegun || bytes === undefined) this.#endWithLeader();
    else if (!hasSent) this.#ask(request, this.#server());
    else if (!isSent && !request.isResent) {
      this.#ask({ ...request, isResent: true }, this.#server());
    } else if (!isSent || term === undefined) this.#endWithLeader();
    else {
      const [method = '', target = ''] = bytes
        .toString('latin1', 0, bytes.indexOf('\r'))
        .split(' ');
      const [path = ''] = target.split('?');
      const lost = { method, path, requestId: id, term };
      this.#owner.fateOf(lost, (fate) => this.#decided(request, fate));
    }
  }

  #decided(request: DividedRequest, fate: RequestFate): void {
    if (this.#phase !== 'open' || this.#request !== request) return;
    if (fate === 'again') {
      this.#ask(request, this.#server());
      return;
    }
    this.#answered = this.#framing.wholeRequests;
    this.#write(this.#owner.unknownOutcome());
    this.#over(request);
  }

  #pass(request: DividedRequest, chunk: Buffer): boolean {
    const { answer, part, isSent } = request;
    const hadStatus = answer.status > 0;
    const bytes = answer.take(chunk);
    const isForLeader = answer.status === misdirected && part === this.#here;
    if (isForLeader) {
      if (!answer.isOver) return true;
      this.#isBehind = answer.isBehind && this.#owner.admitBehind();
      if (this.#isBehind || !answer.isBehind) this.#ask(request, this.#server());
      else this.#refuse(request);
      return true;
    }
    // The work is done then; whoever reads slowly, or follows a feed, takes no room from others.
    if (answer.status > 0) this.#leaveBehind();
    if (bytes.length > 0) this.#answered = this.#framing.wholeRequests;
    const isLast = this.#owner.isLeaving && !hadStatus && answer.status > 0 && !answer.closes;
    if (isLast) this.#isEnding = true;
    const taken = this.#write(isLast ? withHeader(bytes, 'Connection: close') : bytes);
    if (answer.isOver && isSent) this.#over(request);
    return taken;
  }

  #refuse(request: DividedRequest): void {
    const answer = new AnswerFraming(this.#owner.headerBytesMax, request.isHead);
    this.#answered = this.#framing.wholeRequests;
    this.#write(answer.take(this.#owner.tooFarBehind()));
    this.#over(request);
  }

  #over({ answer, isLast, asksClose }: DividedRequest): void {
    this.#request = undefined;
    this.#leaveBehind();
    if (isLast || this.#owner.leads) this.#there?.destroy();
    if (this.#isEnding || answer.closes || asksClose) {
      this.#end();
      return;
    }
    const bytes = this.#held;
    if (bytes.length === 0) return;
    this.#held = nothing;
    this.#begin(bytes);
    this.#socket.resume();
  }

  /** The part of the server that answers everything. */
  #server(): Part {
    return this.#part(this.#owner.leads ? 'here' : 'there');
  }

  #part(where: 'here' | 'there'): Part {
    const isHere = where === 'here';
    const open = isHere ? this.#here : this.#there;
    if (open !== undefined) return open;
    const part = new Part(this);
    const { address, certificates } = this.#given;
    const client = { stream: part, address, certificates, isTunnel: false, isPart: true };
    if (isHere) {
      this.#here = part;
      part.client = this.#owner.serveHere(client);
    } else {
      this.#there = part;
      part.tunnel = this.#owner.serveThere(client);
      part.client = part.tunnel;
    }
    return part;
  }

  #send(part: Part, bytes: Buffer): void {
    if (!part.push(bytes)) this.#socket.pause();
  }

  #write(bytes: Buffer): boolean {
    const socket = this.#socket;
    if (bytes.length === 0 || socket.destroyed || socket.writableEnded) return true;
    // With nothing queued the bytes are encrypted before write returns; else they wait, and the
    // buffer belongs to the next read.
    return socket.write(socket.writableLength === 0 ? bytes : Buffer.from(bytes));
  }

  #endWithLeader(): void {
    if (this.#phase === 'open') this.#owner.count('closedWithLeader', 1);
    this.#end();
  }

  /** Ends behind the bytes that were written. */
  #end(): void {
    if (this.#phase === 'finishing' || this.#phase === 'closed') return;
    this.#phase = 'finishing';
    this.quietSweeps = 0;
    this.#socket.end();
    this.#socket.resume();
    this.#dropParts();
  }

  #leaveBehind(): void {
    if (!this.#isBehind) return;
    this.#isBehind = false;
    this.#owner.leftBehind();
  }

  #dropParts(): void {
    this.#held = nothing;
    this.#request = undefined;
    this.#leaveBehind();
    this.#here?.destroy();
    this.#there?.destroy();
  }
}

interface AskedRequest {
  /** Its id where the leader answers it. */
  readonly id: string;
  readonly isHead: boolean;
  /** All of it that the client has sent; undefined if that is too much to be kept. */
  bytes: Buffer | undefined;
  /** Whether that is all. */
  isSent: boolean;
  /** Whether it was sent once more since the leader is the same. */
  isResent: boolean;
  /** Whether the client wants its connection closed behind the answer. */
  readonly asksClose: boolean;
}

/** The request that is being answered. */
interface DividedRequest extends AskedRequest {
  readonly part: Part;
  readonly answer: AnswerFraming;
  /** Whether its leader leads no more. */
  isLast: boolean;
}

/** A client's connection as the server of one side sees it. */
class Part extends Duplex {
  /** Whoever serves it. */
  client: SeatedClient | undefined;
  /** The same, if that is the leader. */
  tunnel: TunneledClient | undefined;
  readonly #whose: DividedClient;
  #taken: (() => void) | undefined;

  constructor(whose: DividedClient) {
    super();
    this.#whose = whose;
  }

  /** The client takes bytes again. */
  drained(): void {
    const taken = this.#taken;
    this.#taken = undefined;
    taken?.();
  }

  override _read(): void {
    this.#whose.partReads(this);
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, taken: () => void): void {
    if (this.#whose.fromPart(this, chunk)) taken();
    else this.#taken = taken;
  }

  override _final(ended: () => void): void {
    this.#whose.partEnded(this);
    ended();
  }

  override _destroy(_error: Error | null, gone: (error: Error | null) => void): void {
    this.#whose.partGone(this);
    gone(null);
  }
}

/** The same request with the header that names it. */
function named(bytes: Buffer, id: string): Buffer {
  return bytes.length === 0 ? bytes : withHeader(bytes, `${requestIdHeader}: ${id}`);
}

/** The same bytes of a head with one more header, before all others. */
function withHeader(bytes: Buffer, header: string): Buffer {
  const at = bytes.indexOf('\n') + 1;
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(`${header}\r\n`), bytes.subarray(at)]);
}

const nothing: Buffer = Buffer.alloc(0);
/** Bytes of a request that are kept until its answer begins. @bound per connection */
const keptBytesMax = 65_536;
/** Methods that this node's server is asked first (RFC 9110 §9.2.1). */
const safeMethod = /^(GET|HEAD|OPTIONS) /;
/** The answer of this node's server to what is the leader's (RFC 9110 §15.5.20). */
const misdirected = 421;
