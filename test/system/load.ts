// One busy client: a connection of its own, a user of its own, one request after the other.

import { Api, client, management } from './client.ts';
import type { Dice } from './dice.ts';
import {
  type ApiSessionEntry,
  type IdentityEntry,
  type Ledger,
  type SessionEntry,
  standing,
} from './ledger.ts';

/** What a worker works with. */
export interface LoadOptions {
  /** A client of its own, with the administrator's token. */
  readonly admin: Api;
  /** Unlike that of any other worker of any round. */
  readonly name: string;
  readonly services: readonly string[];
  /** Ids of identities that everybody patches with long texts: segments and snapshots fill. */
  readonly ballast: readonly string[];
  /** Characters of the longest of these texts; enough to fill segments soon when absent. */
  readonly ballastCharactersMax?: number;
  readonly ledger: Ledger;
  readonly dice: Dice;
  /** Called at each answer, after the ledger knows of it. */
  readonly acknowledged: () => void;
  /** Whether its work ends well with what was thrown. Absent: with all but a wrong answer. */
  readonly isEnd?: (thrown: unknown) => boolean;
}

/** How often each kind of request is made. */
const weights = {
  createIdentity: 5,
  patchIdentity: 4,
  deleteIdentity: 2,
  logIn: 3,
  createSession: 8,
  deleteSession: 2,
  logOut: 1,
  changeUser: 1,
  patchBallast: 2,
  askSnapshot: 1,
} as const;

/** Characters of the largest patch: some twenty of them fill a segment of the log. */
const usualBallastCharactersMax = 600_000;

/** An answer that no request of the load may get. */
export class WrongAnswer extends Error {
  override readonly name = 'WrongAnswer';
}

/** Sends requests until one is not answered. */
export class LoadWorker {
  readonly #options: LoadOptions;
  readonly #identities: IdentityEntry[] = [];
  #user: IdentityEntry | undefined;
  #named = 0;

  constructor(options: LoadOptions) {
    this.#options = options;
  }

  /** Works until its end. @throws what was thrown and is no end */
  async run(): Promise<void> {
    const { isEnd = isNoWrongAnswer } = this.#options;
    for (;;) {
      try {
        await this.#turn();
      } catch (thrown) {
        if (!isEnd(thrown)) throw thrown;
        return;
      }
    }
  }

  async #turn(): Promise<void> {
    const { dice } = this.#options;
    if (this.#user === undefined) return await this.#changeUser();
    const kind = dice.weighted(weights);
    if (kind === 'createIdentity') return await this.#createIdentity(undefined);
    if (kind === 'changeUser') return await this.#changeUser();
    if (kind === 'patchBallast') return await this.#patchBallast();
    if (kind === 'askSnapshot') return await this.#askSnapshot();
    if (kind === 'logIn') return await this.#logIn(this.#user);
    const identity = dice.one(standing(this.#identities, 'there'));
    if (identity !== undefined) {
      if (kind === 'patchIdentity') return await this.#patchIdentity(identity);
      if (kind === 'deleteIdentity') return await this.#deleteIdentity(identity);
    }
    const apiSession = dice.one(standing(this.#user.apiSessions, 'there'));
    if (apiSession === undefined) return;
    if (kind === 'createSession') return await this.#createSession(apiSession);
    if (kind === 'logOut') return await this.#logOut(apiSession);
    const session = dice.one(standing(apiSession.sessions, 'there'));
    if (kind === 'deleteSession' && session !== undefined) await this.#deleteSession(session);
  }

  async #createIdentity(password: string | undefined): Promise<void> {
    const { admin, ledger, name } = this.#options;
    const entry = ledger.identity(`${name}-${this.#named++}`, password);
    const body = { name: entry.name, type: 'Default', isAdmin: false, appData: { value: 0 } };
    entry.id = await this.#asked(admin, 'POST', `${management}/identities`, 201, body);
    this.#noted(() => ledger.asked(entry, 'there'));
    if (password === undefined) this.#identities.push(entry);
    else this.#user = entry;
  }

  async #patchIdentity(entry: IdentityEntry): Promise<void> {
    const { admin, ledger } = this.#options;
    entry.wanted = entry.value + 1;
    ledger.asked(entry, 'there');
    const body = { appData: { value: entry.wanted } };
    await this.#asked(admin, 'PATCH', `${management}/identities/${entry.id}`, 200, body);
    this.#noted(() => {
      entry.value += 1;
      entry.wanted = undefined;
    });
  }

  async #patchBallast(): Promise<void> {
    const { admin, ballast, dice } = this.#options;
    const { ballastCharactersMax = usualBallastCharactersMax } = this.#options;
    const filler = 'x'.repeat(dice.integer(1, ballastCharactersMax));
    const id = dice.one(ballast) ?? '';
    const body = { appData: { value: 0, filler } };
    await this.#asked(admin, 'PATCH', `${management}/identities/${id}`, 200, body);
    this.#noted(() => undefined);
  }

  /** One may be under way already, or the controller about to stop. */
  async #askSnapshot(): Promise<void> {
    const path = `${management}/database/snapshot`;
    const answer = await this.#options.admin.call('POST', path);
    if (![200, 429, 503].includes(answer.status)) throw wrong('POST', path, answer);
    this.#noted(() => undefined);
  }

  async #deleteIdentity(entry: IdentityEntry): Promise<void> {
    const { admin, ledger } = this.#options;
    ledger.asked(entry, 'deleting');
    await this.#asked(admin, 'DELETE', `${management}/identities/${entry.id}`, 200);
    this.#noted(() => ledger.identityGone(entry));
  }

  /** Deletes the user of this worker, with all its sessions, and makes the next one. */
  async #changeUser(): Promise<void> {
    const { admin } = this.#options;
    if (this.#user !== undefined) {
      const leaving = this.#user;
      this.#user = undefined;
      await this.#deleteIdentity(leaving);
    }
    const password = `pw-${this.#options.dice.integer(1e8, 1e9)}`;
    await this.#createIdentity(password);
    const user: IdentityEntry | undefined = this.#user;
    if (user === undefined) return;
    const { id: identityId, name: username } = user;
    const body = { method: 'updb', identityId, username, password };
    await this.#asked(admin, 'POST', `${management}/authenticators`, 201, body);
    await this.#logIn(user);
  }

  async #logIn(user: IdentityEntry): Promise<void> {
    const { admin, ledger } = this.#options;
    const entry = ledger.apiSession(user);
    const body = { username: user.name, password: user.password };
    const path = `${client}/authenticate?method=password`;
    const answer = await admin.client.call('POST', path, { body });
    if (answer.status !== 200) throw wrong('POST', path, answer);
    entry.id = String(answer.data['id']);
    entry.token = String(answer.data['token']);
    ledger.secrets.add(entry.token);
    this.#noted(() => ledger.asked(entry, 'there'));
  }

  async #createSession(apiSession: ApiSessionEntry): Promise<void> {
    const { ledger, dice, services } = this.#options;
    const serviceId = dice.one(services) ?? '';
    const type = dice.weighted({ Dial: 1, Bind: 1 });
    const same = apiSession.sessions.find(
      (session) =>
        session.serviceId === serviceId && session.type === type && session.standing === 'there',
    );
    const entry = same ?? ledger.session(apiSession, serviceId, type);
    const path = `${client}/sessions`;
    const answer = await this.#as(apiSession).call('POST', path, { serviceId, type });
    if (answer.status !== 201) throw wrong('POST', path, answer);
    const id = String(answer.data['id']);
    if (same !== undefined && id !== same.id)
      throw new WrongAnswer('a second session for the same');
    entry.id = id;
    ledger.secrets.add(String(answer.data['token']));
    this.#noted(() => ledger.asked(entry, 'there'));
  }

  async #deleteSession(entry: SessionEntry): Promise<void> {
    const { ledger } = this.#options;
    ledger.asked(entry, 'deleting');
    const path = `${client}/sessions/${entry.id}`;
    await this.#asked(this.#as(entry.apiSession), 'DELETE', path, 200);
    this.#noted(() => ledger.asked(entry, 'gone'));
  }

  async #logOut(entry: ApiSessionEntry): Promise<void> {
    const { ledger } = this.#options;
    ledger.asked(entry, 'deleting');
    await this.#asked(this.#as(entry), 'DELETE', `${client}/current-api-session`, 200);
    this.#noted(() => ledger.apiSessionGone(entry));
  }

  #as({ token = '', id = '' }: ApiSessionEntry): Api {
    return new Api(this.#options.admin.client, token, id);
  }

  /** @returns the id in the answer, if any */
  async #asked(
    api: Api,
    method: 'POST' | 'PATCH' | 'DELETE',
    path: string,
    status: number,
    body?: unknown,
  ): Promise<string | undefined> {
    const answer = await api.call(method, path, body);
    if (answer.status !== status) throw wrong(method, path, answer);
    const { id } = answer.data;
    return id === undefined ? undefined : String(id);
  }

  #noted(note: () => void): void {
    note();
    this.#options.acknowledged();
  }
}

function isNoWrongAnswer(thrown: unknown): boolean {
  return !(thrown instanceof WrongAnswer);
}

function wrong(method: string, path: string, { status, error }: { status: number; error: object }) {
  return new WrongAnswer(`${method} ${path}: ${status} ${JSON.stringify(error)}`);
}
