// Keeps the WebSocket of the stream open, and sends the page's subscription to the controller.

import type { StreamMessage } from '../messages.ts';
import { ApiProblem, type Ask, apiBase, pathWith } from './api.ts';
import {
  answeredAfter,
  backOffMs,
  initialOrder,
  orderOf,
  requestsBetween,
  type StreamOrder,
} from './stream-protocol.ts';
import type { StreamStore } from './stream-store.ts';

/** Opens the stream, and opens it again whenever it is lost. @returns a function that ends this. */
export function connectStream(store: StreamStore, ask: Ask): () => void {
  const connection = new StreamConnection(store, ask);
  store.send({ type: 'connection', phase: 'connecting' });
  connection.open();
  return () => connection.end();
}

class StreamConnection {
  readonly #store: StreamStore;
  readonly #ask: Ask;
  readonly #subscription: { unsubscribe(): void };
  #socket: WebSocket | undefined;
  #sent: StreamOrder = initialOrder;
  /** The filter that was answered last. */
  #answered = initialOrder.filter;
  #attempt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isEnded = false;

  constructor(store: StreamStore, ask: Ask) {
    this.#store = store;
    this.#ask = ask;
    this.#subscription = store.subscribe(() => this.#sendOrder());
  }

  open(): void {
    this.#ask<{ readonly ticket: string }>('/inspect/tickets', { method: 'POST', body: {} }).then(
      ({ data }) => {
        if (!this.#isEnded) this.#listen(data.ticket);
      },
      (problem: unknown) => {
        // If the session is no longer valid, other code asks the user to log in again.
        const isRefused = problem instanceof ApiProblem && problem.status === 401;
        if (!isRefused) this.#again();
      },
    );
  }

  end(): void {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    this.#subscription.unsubscribe();
    this.#socket?.close();
    this.#store.send({ type: 'leave' });
  }

  #listen(ticket: string): void {
    const { protocol, host } = window.location;
    const origin = `${protocol === 'http:' ? 'ws' : 'wss'}://${host}`;
    const socket = new WebSocket(`${origin}${apiBase}${pathWith('/inspect/stream', { ticket })}`);
    this.#socket = socket;
    socket.addEventListener('message', ({ data }: MessageEvent<string>) => this.#take(data));
    socket.addEventListener('close', () => {
      if (this.#socket === socket) this.#again();
    });
  }

  #take(text: string): void {
    const message = JSON.parse(text) as StreamMessage;
    if (message.type === 'attached') {
      this.#attempt = 0;
      this.#sent = initialOrder;
    }
    this.#answered = answeredAfter(this.#answered, message);
    if (message.type === 'transitions' && this.#answered !== this.#sent.filter) return;
    this.#store.send({ type: 'told', message, nowMs: Date.now() });
  }

  #sendOrder(): void {
    const state = this.#store.getSnapshot().context;
    if (state.phase !== 'live' || this.#socket?.readyState !== WebSocket.OPEN) return;
    const wanted = orderOf(state);
    const requests = requestsBetween(this.#sent, wanted);
    this.#sent = wanted;
    for (const request of requests) this.#socket.send(JSON.stringify(request));
  }

  #again(): void {
    if (this.#isEnded) return;
    this.#socket = undefined;
    this.#store.send({ type: 'connection', phase: 'reconnecting' });
    this.#timer = setTimeout(() => this.open(), backOffMs(this.#attempt, Math.random()));
    this.#attempt += 1;
  }
}
