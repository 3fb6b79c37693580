// The inspector of the running controller: calls of the DevTools protocol to its threads.

import { readFileSync } from 'node:fs';
import type { ControllerProcess } from './controller-process.ts';

/** What Node must be started with, so that there is an inspector. */
export const inspectorFlags: readonly string[] = ['--inspect=127.0.0.1:0'];

/** What a call answers, as the protocol has it. */
export type Answered = Readonly<Record<string, unknown>>;

/** A connection to the main thread's inspector and, through NodeWorker, to those of workers. */
export class Inspector {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<string, (result: Answered) => void>();
  /** Session id → name, for the workers. */
  readonly #workers = new Map<string, string>();
  #lastId = 0;

  /** @throws Error when the controller was started without `inspectorFlags`. */
  static async open({ logFile }: ControllerProcess): Promise<Inspector> {
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

  /** One call to a thread. */
  call(session: string, method: string, params: object): Promise<Answered> {
    const id = ++this.#lastId;
    const answered = new Promise<Answered>((resolve) => {
      this.#waiting.set(`${session}/${id}`, resolve);
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

  /** The name of its script and a number: two TLS workers must not share a file. */
  #workerName(info: unknown): string {
    const url = String((info as { readonly url?: unknown } | undefined)?.url ?? 'worker');
    const file = url
      .split('/')
      .at(-1)
      ?.replace(/\.[jt]s$/, '');
    return `${file}-${this.#workers.size + 1}`;
  }

  #hear(session: string, text: string): void {
    const { id, method, params, result } = JSON.parse(text) as Message;
    if (id !== undefined) {
      this.#waiting.get(`${session}/${id}`)?.(result ?? {});
      this.#waiting.delete(`${session}/${id}`);
    } else if (method === 'NodeWorker.attachedToWorker') {
      this.#workers.set(String(params?.['sessionId']), this.#workerName(params?.['workerInfo']));
    } else if (method === 'NodeWorker.receivedMessageFromWorker') {
      this.#hear(String(params?.['sessionId']), String(params?.['message']));
    }
  }
}

/** Node says it on standard error when it starts. */
function inspectorUrl(logFile: string): string {
  const url = readFileSync(logFile, 'utf8')
    .match(/ws:\/\/127\.0\.0\.1:\d+\/[\w-]+/g)
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
