// A network with callers of every kind, which creates new ones on request.

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
  readonly #standing = new Map<CallerKind, Party>();
  #names = 0;
  #guardedPolicy: Promise<string> | undefined;

  constructor(network: Network) {
    this.network = network;
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
    const policy = isPartial ? { authPolicyId: await this.#guarded() } : {};
    const party = await this.newParty({ isAdmin, ...policy });
    switch (kind) {
      case 'none':
        return { ...party, token: null };
      case 'dead':
        return { ...party, token: '0a4be3a6-9e5f-4c0b-8a53-3f6c1a2b7d10' };
      case 'ended':
        await this.network.must('DELETE', 'C:/current-api-session', undefined, party.token ?? '');
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
    const token = await this.network.login(identity.name, identity.password);
    const path = 'C:/current-api-session';
    const { id } = await this.network.must<{ id: string }>('GET', path, undefined, token);
    return { ...identity, sessionId: id, token };
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
  static async boot(): Promise<World> {
    const network = await bootNetwork({ freeze: false });
    const world = new World(network);
    const idle = await world.newParty();
    await network.advance(31 * minuteMs);
    world.#standing.set('idle', idle);
    await network.logInAdmin();
    return world;
  }
}
