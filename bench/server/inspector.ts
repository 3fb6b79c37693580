// Calls the threads of the running controller over Node's inspector, by the DevTools protocol.

import { readFileSync } from 'node:fs';
import type { ControllerProcess } from './controller-process.ts';

/** The flags with which Node must be started to have an inspector. */
export const inspectorFlags: readonly string[] = ['--inspect=127.0.0.1:0'];

/** The answer to a call, as the protocol defines it. */
export type Answered = Readonly<Record<string, unknown>>;

/** A connection to the main thread's inspector and, through NodeWorker, to those of workers. */
export class Inspector {
  readonly #socket: WebSocket;
  readonly #pending = new Map<string, PendingCall>();
  /** The name of each worker by session id. */
  readonly #workers = new Map<string, string>();
  #lastId = 0;
  #attached = 0;

  /** @throws Error if the controller was started without `inspectorFlags`. */
  static async open({ logFile }: Pick<ControllerProcess, 'logFile'>): Promise<Inspector> {
    const url = inspectorUrl(logFile);
    const socket = new WebSocket(url);
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve);
      socket.addEventListener('error', () => reject(new Error(`no inspector at ${url}`)));
    });
    return new Inspector(socket);
  }

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.#hear('', String(data)));
    socket.addEventListener('close', () => this.#drop('', 'the inspector is gone'));
  }

  /** Attaches to the workers; the main thread needs no more than the connection. */
  async attachWorkers(): Promise<void> {
    await this.call('', 'NodeWorker.enable', { waitForDebuggerOnStart: false });
  }

  /** The session of each attached thread with its name; the main thread's is empty. */
  threads(): (readonly [session: string, name: string])[] {
    return [['', 'main'], ...this.#workers];
  }

  close(): void {
    this.#socket.close();
  }

  /** One call to a thread. @throws Error if the thread or the process ends before it answers. */
  call(session: string, method: string, params: object): Promise<Answered> {
    const id = ++this.#lastId;
    const answered = new Promise<Answered>((resolve, reject) => {
      if (this.#socket.readyState !== WebSocket.OPEN) reject(new Error('the inspector is gone'));
      if (session !== '' && !this.#workers.has(session)) reject(new Error('the thread has ended'));
      this.#pending.set(`${session}/${id}`, { resolve, reject });
    });
    const message = JSON.stringify({ id, method, params });
    if (session === '') this.#socket.send(message);
    else {
      const outer = { sessionId: session, message };
      const method = 'NodeWorker.sendMessageToWorker';
      this.#socket.send(JSON.stringify({ id: ++this.#lastId, method, params: outer }));
    }
    return answered;
  }

  /** The value of an expression in the main thread; that of a promise when it is there. */
  async evaluate(expression: string): Promise<unknown> {
    const parameters = { expression, returnByValue: true, awaitPromise: true };
    const { result } = await this.call('', 'Runtime.evaluate', parameters);
    return (result as { readonly value?: unknown } | undefined)?.value;
  }

  /** The name of its script and a number, so that two TLS workers do not share a file. */
  #workerName(info: unknown): string {
    const url = String((info as { readonly url?: unknown } | undefined)?.url ?? 'worker');
    const file = url
      .split('/')
      .at(-1)
      ?.replace(/\.c?[jt]s$/, '');
    return `${file}-${++this.#attached}`;
  }

  #hear(session: string, text: string): void {
    const { id, method, params, result } = JSON.parse(text) as Message;
    if (id !== undefined) {
      this.#pending.get(`${session}/${id}`)?.resolve(result ?? {});
      this.#pending.delete(`${session}/${id}`);
    } else if (method === 'NodeWorker.attachedToWorker') {
      this.#workers.set(String(params?.['sessionId']), this.#workerName(params?.['workerInfo']));
    } else if (method === 'NodeWorker.detachedFromWorker') {
      const ended = String(params?.['sessionId']);
      this.#workers.delete(ended);
      this.#drop(`${ended}/`, 'the thread has ended');
    } else if (method === 'NodeWorker.receivedMessageFromWorker') {
      this.#hear(String(params?.['sessionId']), String(params?.['message']));
    }
  }

  /** Rejects the calls whose key begins with this prefix, because no answer can come any more. */
  #drop(prefix: string, reason: string): void {
    for (const [key, { reject }] of this.#pending) {
      if (!key.startsWith(prefix)) continue;
      this.#pending.delete(key);
      reject(new Error(reason));
    }
  }
}

/** A caller that waits for an answer. */
interface PendingCall {
  readonly resolve: (result: Answered) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Node prints the URL on standard error when it starts, and again whenever an inspector
 * disconnects. A line may still be incomplete, so only whole lines count.
 */
function inspectorUrl(logFile: string): string {
  const url = readFileSync(logFile, 'utf8')
    .match(/ws:\/\/127\.0\.0\.1:\d+\/[\w-]+(?=\n)/g)
    ?.at(-1);
  if (url === undefined) throw new Error('the controller does not say where its inspector is');
  return url;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Answered;
  readonly result?: Answered;
}
