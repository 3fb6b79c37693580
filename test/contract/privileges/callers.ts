// A network with callers of every kind, which creates new ones on request.

import { claimsIn, OidcClient } from '../../oidc/oidc-client.ts';
import { bootNetwork, type Network } from '../../simulated/network.ts';
import type { CallerKind } from './privilege-table.ts';

/** An identity that logged in. */
export interface Party {
  readonly id: string;
  /** Also its user name. */
  readonly name: string;
  readonly password: string;
  readonly authenticatorId: string;
  readonly sessionId: string;
  /** What it sends as session token; null for none. */
  readonly token: string | null;
}

const password = 'caller-password';
const minuteMs = 60_000;

/** How callers show their sessions: a header for opaque tokens, or access tokens of OIDC. */
export type Credential = 'zt-session' | 'net-session' | 'Bearer';

/** The part of an auth policy that allows every way to log in. */
export const anyPrimary = {
  cert: { allowed: true, allowExpiredCerts: true },
  extJwt: { allowed: true, allowedSigners: [] },
  updb: {
    allowed: true,
    minPasswordLength: 5,
    requireMixedCase: false,
    maxAttempts: 0,
    requireNumberChar: false,
    requireSpecialChar: false,
    lockoutDurationMinutes: 0,
  },
};

/** The network that the matrix is driven against. */
export class World {
  readonly network: Network;
  readonly credential: Credential;
  readonly #standing = new Map<CallerKind, Party>();
  #names = 0;
  #guardedPolicy: Promise<string> | undefined;

  constructor(network: Network, credential: Credential = 'zt-session') {
    this.network = network;
    this.credential = credential;
  }

  /** Whether callers log in by OIDC. */
  get isByOidc(): boolean {
    return this.credential === 'Bearer';
  }

  /** The headers that show a session. */
  headersOf(token: string | null): Readonly<Record<string, string>> {
    if (token === null) return {};
    return this.isByOidc ? { authorization: `Bearer ${token}` } : { [this.credential]: token };
  }

  /** Calls as a caller, with a token of its own. */
  callAs({ token }: Pick<Party, 'token'>, method: string, path: string, body?: unknown) {
    return this.network.call(method, path, { token: null, headers: this.headersOf(token), body });
  }

  /** As `callAs`, for requests whose success is taken for granted: answers `data`. */
  async mustAs<T>(
    party: Pick<Party, 'token'>,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<T> {
    const answer = await this.callAs(party, method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.body.toString()}`);
    return answer.data as T;
  }

  /** A name that nothing has yet. */
  name(of = 'one'): string {
    return `${of}-${++this.#names}`;
  }

  /** The caller of a kind that requests come from unless they need one of their own. */
  async standing(kind: CallerKind): Promise<Party> {
    const known = this.#standing.get(kind) ?? (await this.newCaller(kind));
    this.#standing.set(kind, known);
    return known;
  }

  /** Another caller of a kind. */
  async newCaller(kind: CallerKind): Promise<Party> {
    // Time that goes by for another one would go by for all.
    if (kind === 'idle') return this.standing(kind);
    const isAdmin = kind === 'admin' || kind === 'p-admin';
    const isPartial = kind === 'partial' || kind === 'p-admin';
    const party = isPartial ? await this.#newPartial(isAdmin) : await this.newParty({ isAdmin });
    switch (kind) {
      case 'none':
        return { ...party, token: null };
      case 'dead':
        return { ...party, token: this.#neverIssued(party) };
      case 'ended':
        await this.mustAs(party, 'DELETE', 'C:/current-api-session');
        return party;
      case 'off':
        await this.network.must('POST', `M:/identities/${party.id}/disable`, {
          durationMinutes: 0,
        });
        return party;
      default:
        return party;
    }
  }

  /** A new identity that logged in. */
  async newParty(more: object = {}): Promise<Party> {
    const name = this.name('caller');
    const { network } = this;
    const identity = { name, type: 'Default', isAdmin: false, ...more };
    const id = await network.create('identities', identity);
    const authenticatorId = await network.create('authenticators', {
      method: 'updb',
      identityId: id,
      username: name,
      password,
    });
    return this.loggedIn({ id, name, password, authenticatorId });
  }

  /** The same identity in an API session of its own. */
  async loggedIn(identity: Omit<Party, 'sessionId' | 'token'>): Promise<Party> {
    const { name, password } = identity;
    const token = this.isByOidc
      ? (await new OidcClient(this.network).tokens(name, password)).access_token
      : await this.network.login(name, password);
    const { id } = await this.mustAs<{ id: string }>({ token }, 'GET', 'C:/current-api-session');
    return { ...identity, sessionId: id, token };
  }

  /** From now on, the sessions of an identity owe a second factor. */
  async owe({ id }: Pick<Party, 'id'>): Promise<void> {
    const authPolicyId = await this.#guarded();
    await this.network.must('PATCH', `M:/identities/${id}`, { authPolicyId });
  }

  /** A login by OIDC has to bring all that is owed, so that is asked for only afterwards. */
  async #newPartial(isAdmin: boolean): Promise<Party> {
    if (!this.isByOidc) return this.newParty({ isAdmin, authPolicyId: await this.#guarded() });
    const party = await this.newParty({ isAdmin });
    await this.owe(party);
    return party;
  }

  /** A token like that of a party, of a session that there never was. */
  #neverIssued({ token }: Party): string {
    const unknown = '0a4be3a6-9e5f-4c0b-8a53-3f6c1a2b7d10';
    if (!this.isByOidc) return unknown;
    const [header, , signature] = (token ?? '').split('.');
    const claims = JSON.stringify({ ...claimsIn(token ?? ''), z_asid: unknown });
    return [header, Buffer.from(claims).toString('base64url'), signature].join('.');
  }

  /** A policy that asks for a second factor. */
  #guarded(): Promise<string> {
    return (this.#guardedPolicy ??= this.network.create('auth-policies', {
      name: this.name('guarded'),
      primary: anyPrimary,
      secondary: { requireTotp: true },
    }));
  }

  /** Boots the network. Its clock stands still from here on. */
  static async boot(credential?: Credential): Promise<World> {
    const network = await bootNetwork({ freeze: false });
    const world = new World(network, credential);
    const idle = await world.newParty();
    await network.advance(31 * minuteMs);
    world.#standing.set('idle', idle);
    await network.logInAdmin();
    return world;
  }
}
