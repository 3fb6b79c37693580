// Histories of single records: clients at all fronts read and write one field, and note when they
// asked and when they were answered.

import { writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { type Api, management } from '../client.ts';
import type { Dice } from '../dice.ts';
import { WrongAnswer } from '../load.ts';
import { FrontClient, type Fronts } from './front-client.ts';

/** One line of a history, as `linearizability/main.go` reads it. Times are in microseconds. */
export interface Operation {
  readonly record: string;
  readonly client: number;
  readonly kind: 'read' | 'write';
  readonly value: number;
  readonly invoked: number;
  /** Absent for a write that may have been carried out, or may be at any time. */
  readonly returned?: number;
}

const clientsCount = 6;
const recordsCount = 3;
const pauseMsMax = 160;
/** All is well again when each front is asked for the last time: as long as nothing takes. */
const readForMs = 240_000;

/** The history of one round, on records of its own. */
export class History {
  readonly operations: Operation[] = [];
  readonly #token: string;
  readonly #fronts: Fronts;
  readonly #records: readonly string[];
  #written = 0;
  #isStopped = false;

  private constructor(fronts: Fronts, token: string, records: readonly string[]) {
    this.#fronts = fronts;
    this.#token = token;
    this.#records = records;
  }

  /** Makes the records, each with the value 0. */
  static async begin(fronts: Fronts, admin: Api, round: string): Promise<History> {
    const configTypeId = await admin.create('config-types', { name: `history-${round}` });
    const records: string[] = [];
    for (let record = 0; record < recordsCount; record += 1) {
      const name = `history-${round}-${record}`;
      records.push(await admin.create('configs', { name, configTypeId, data: { value: 0 } }));
    }
    return new History(fronts, admin.token, records);
  }

  /** Writes of which nobody knows whether they were carried out. */
  get open(): number {
    return this.operations.filter(({ returned }) => returned === undefined).length;
  }

  /** Reads and writes until `stop`. @throws WrongAnswer */
  async run(diceOf: (client: number) => Dice): Promise<void> {
    const clients = Array.from({ length: clientsCount }, (_, client) => client);
    await Promise.all(clients.map((client) => this.#client(client, diceOf(client))));
  }

  stop(): void {
    this.#isStopped = true;
  }

  /**
   * Reads each record once more at each front, until it is answered.
   * @throws WrongAnswer; Error for a front that does not answer for a long time
   */
  async readAll(mostMs = readForMs): Promise<void> {
    for (const front of [0, 1, 2]) {
      const http = new FrontClient(this.#fronts, front);
      try {
        for (const record of this.#records) await this.#readAt(http, front, record, mostMs);
      } finally {
        await http.close();
      }
    }
  }

  /** Writes one JSON line per operation. */
  write(path: string): void {
    const lines = this.operations.map((operation) => `${JSON.stringify(operation)}\n`);
    writeFileSync(path, lines.join(''));
  }

  async #client(client: number, dice: Dice): Promise<void> {
    const http = new FrontClient(this.#fronts, client % 3);
    while (!this.#isStopped) {
      await setTimeout(dice.integer(0, pauseMsMax));
      const record = dice.one(this.#records) ?? '';
      const isRead = dice.integer(0, 1) === 0;
      if (isRead) await this.#read(http, client, record);
      else await this.#write(http, client, record);
    }
    await http.close();
  }

  async #readAt(http: FrontClient, front: number, record: string, mostMs: number): Promise<void> {
    const endMs = performance.now() + mostMs;
    for (;;) {
      const said = await this.#read(http, clientsCount + front, record);
      if (said === undefined) return;
      if (performance.now() >= endMs) {
        throw new Error(`a record could not be read for ${mostMs} ms; at last ${said}`);
      }
      await setTimeout(100);
    }
  }

  /** @returns which front said what, if it was not answered */
  async #read(http: FrontClient, client: number, record: string): Promise<string | undefined> {
    const path = `${management}/configs/${record}`;
    const invoked = microseconds();
    const outcome = await http.attempt('GET', path, { token: this.#token });
    if (outcome.is !== 'answered') return outcome.said;
    const { status, data, error } = outcome.answer;
    if (status !== 200) throw new WrongAnswer(`GET ${path}: ${status} ${JSON.stringify(error)}`);
    const { value } = data['data'] as { readonly value: number };
    const returned = microseconds();
    this.operations.push({ record, client, kind: 'read', value, invoked, returned });
    return undefined;
  }

  async #write(http: FrontClient, client: number, record: string): Promise<void> {
    this.#written += 1;
    const value = this.#written;
    const path = `${management}/configs/${record}`;
    const invoked = microseconds();
    const call = { token: this.#token, body: { data: { value } } };
    const outcome = await http.attempt('PATCH', path, call);
    if (outcome.is === 'undone') return;
    const asked = { record, client, kind: 'write', value, invoked } as const;
    if (outcome.is === 'unknown') {
      this.operations.push(asked);
      return;
    }
    const { status, error } = outcome.answer;
    if (status !== 200) throw new WrongAnswer(`PATCH ${path}: ${status} ${JSON.stringify(error)}`);
    this.operations.push({ ...asked, returned: microseconds() });
  }
}

/** One clock for all clients. */
function microseconds(): number {
  return Math.floor(performance.now() * 1000);
}
