// Sessions by OIDC over random histories, against a twin that knows only the rules: no session that
// has ended gets an answer, and no refresh token works once its successor was used and ten seconds
// have passed (behaviour/oidc#refresh, behaviour/oidc#endings).

import t from 'tap';
import { isNightly } from '../campaigns.ts';
import { claimsIn, OidcClient, type Tokens, tokensIn } from '../oidc/oidc-client.ts';
import * as fc from '../properties.ts';
import { bootNetwork, type Network } from '../simulated/network.ts';

const histories = isNightly ? 10_000 : 100;

const minuteMs = 60_000;
const accessMs = 30 * minuteMs;
const refreshMs = 24 * 60 * minuteMs;
const graceMs = 10_000;

/** An access token as the twin knows it. */
interface TwinAccess {
  readonly text: string;
  readonly generation: number;
  readonly expiresAt: number;
  isRevoked: boolean;
}

/** A session as the rules have it. */
class TwinSession {
  readonly identity: string;
  readonly id: string;
  readonly idToken: string;
  generation = 0;
  usedAt: number | undefined;
  until: number;
  isOver = false;
  readonly accesses: TwinAccess[] = [];
  /** Refresh tokens with the count in them. */
  readonly refreshes: { readonly text: string; readonly generation: number; expiresAt: number }[] =
    [];

  constructor(identity: string, tokens: Tokens, now: number) {
    this.identity = identity;
    this.id = String(claimsIn(tokens.access_token)['z_asid']);
    this.idToken = tokens.id_token;
    this.usedAt = now;
    this.until = now + refreshMs;
    this.take(tokens, now);
  }

  take(tokens: Tokens, now: number): void {
    const { generation } = this;
    const expiresAt = secondsAfter(now, accessMs);
    this.accesses.push({ text: tokens.access_token, generation, expiresAt, isRevoked: false });
    const until = secondsAfter(now, refreshMs);
    this.refreshes.push({ text: tokens.refresh_token, generation, expiresAt: until });
  }

  /** Whether it has ended by now, also by time. */
  endedAt(now: number): boolean {
    if (this.until <= now) this.isOver = true;
    return this.isOver;
  }
}

/** One of the last three, which matter most. */
function newest<T>(tokens: readonly T[], which: number): T | undefined {
  return tokens.at(-1 - (which % Math.min(3, tokens.length)));
}

/** The end of a token, which is a whole second. */
const secondsAfter = (now: number, ms: number) => Math.ceil((now + ms) / 1000) * 1000;

/** What happens to one of the sessions; `which` and `token` choose among those that there are. */
const step = fc.record({
  what: fc.oneof(
    {
      weight: 4,
      arbitrary: fc.constantFrom('call', 'call', 'refresh', 'refresh', 'refresh', 'wait'),
    },
    { weight: 1, arbitrary: fc.constantFrom('logIn', 'exchange', 'restart', 'revokeAccess') },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        ...(['logOut', 'endSession', 'revokeRefresh', 'revokeSession', 'revokeIdentity'] as const),
        'disable' as const,
      ),
    },
  ),
  which: fc.nat({ max: 100 }),
  token: fc.nat({ max: 100 }),
  ms: fc.constantFrom(1, 1, 3000, 9999, 10_000, 10_001, 5 * minuteMs, accessMs, 6 * 60 * minuteMs),
});

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Two identities with their sessions, in the controller and in the twin. */
class History {
  readonly network: Network;
  readonly client: OidcClient;
  readonly identities: readonly string[];
  readonly sessions: TwinSession[] = [];
  readonly seen: Map<string, number>;

  constructor(network: Network, identities: readonly string[], seen: Map<string, number>) {
    this.network = network;
    this.client = new OidcClient(network);
    this.identities = identities;
    this.seen = seen;
  }

  get #now(): number {
    return this.network.clock.now();
  }

  /** Carries a step out. @throws Error where the controller and the twin differ */
  async take({ what, which, token, ms }: Step): Promise<void> {
    const session = this.sessions[which % Math.max(1, this.sessions.length)];
    if (what === 'logIn' || session === undefined) return await this.#logIn(which);
    switch (what) {
      case 'call':
        return await this.#call(session, token);
      case 'refresh':
        return await this.#refresh(session, token);
      case 'exchange':
        return await this.#exchange(session, token);
      case 'wait':
        return await this.network.sleep(ms);
      case 'restart':
        return await this.#restart(which);
      case 'revokeAccess':
        return await this.#revokeAccess(session, token);
      case 'logOut':
        return await this.#logOut(session, token);
      case 'endSession':
        await this.client.get(`/oidc/end_session?id_token_hint=${session.idToken}`);
        break;
      case 'revokeRefresh':
        await this.client.post('/oidc/revoke', {
          token: newest(session.refreshes, token)?.text,
          client_id: 'native',
        });
        break;
      case 'revokeSession':
        await this.#asAdmin('POST', 'M:/revocations', { id: session.id, type: 'API_SESSION' });
        break;
      case 'revokeIdentity':
        await this.#asAdmin('POST', 'M:/revocations', { id: session.identity, type: 'IDENTITY' });
        this.#endAllOf(session.identity);
        break;
      case 'disable': {
        const path = `M:/identities/${session.identity}`;
        await this.#asAdmin('POST', `${path}/disable`, { durationMinutes: 0 });
        await this.#asAdmin('POST', `${path}/enable`);
        this.#endAllOf(session.identity);
        break;
      }
    }
    session.isOver = true;
  }

  /** Nothing that is over gets an answer, and everything else does. */
  async checkAll(): Promise<void> {
    for (const session of this.sessions) {
      for (const at of [0, 1, 2]) await this.#call(session, at);
    }
  }

  async #asAdmin(method: string, path: string, body?: object): Promise<void> {
    await this.network.logInAdmin();
    await this.network.must(method, path, body);
  }

  #endAllOf(identity: string): void {
    for (const session of this.sessions) if (session.identity === identity) session.isOver = true;
  }

  async #logIn(which: number): Promise<void> {
    const at = which % this.identities.length;
    const tokens = await this.client.tokens(`user-${at}`, `password-${at}`);
    this.sessions.push(new TwinSession(this.identities[at] ?? '', tokens, this.#now));
  }

  async #call(session: TwinSession, token: number): Promise<void> {
    const access = newest(session.accesses, token);
    if (access === undefined) return;
    const now = this.#now;
    const isGood = !session.endedAt(now) && access.expiresAt > now && !access.isRevoked;
    const { status } = await this.client.call('GET', 'C:/current-identity', access.text);
    this.#expect(status === 200, isGood, 'a call');
    if (isGood && access.generation === session.generation) session.usedAt ??= now;
  }

  /** The verdict on a refresh token by the rules. */
  #verdictOn(session: TwinSession, { generation, expiresAt }: TwinSession['refreshes'][number]) {
    const now = this.#now;
    if (session.endedAt(now) || expiresAt <= now) return 'refused';
    if (generation === session.generation) return 'present';
    const { usedAt } = session;
    const isInTime = usedAt === undefined || now < usedAt + graceMs;
    return generation === session.generation - 1 && isInTime ? 'former' : 'reuse';
  }

  async #refresh(session: TwinSession, token: number): Promise<void> {
    const refresh = newest(session.refreshes, token);
    if (refresh === undefined) return;
    const verdict = this.#verdictOn(session, refresh);
    const now = this.#now;
    const answer = await this.client.refresh(refresh.text);
    const isGood = verdict === 'present' || verdict === 'former';
    this.#expect(answer.status === 200, isGood, `a refresh: ${verdict}`);
    if (verdict === 'reuse') session.isOver = true;
    if (!isGood) return;
    if (verdict === 'present') {
      session.generation += 1;
      session.usedAt = undefined;
    }
    session.until = Math.max(session.until, now + refreshMs);
    session.take(tokensIn(answer), now);
  }

  /** For an id token, which rotates nothing. */
  async #exchange(session: TwinSession, token: number): Promise<void> {
    const refresh = newest(session.refreshes, token);
    if (refresh === undefined) return;
    const verdict = this.#verdictOn(session, refresh);
    const answer = await this.client.exchangeToken('refresh_token', refresh.text, 'id_token');
    this.#expect(answer.status === 200, /present|former/.test(verdict), `an exchange: ${verdict}`);
    if (verdict === 'reuse') session.isOver = true;
  }

  async #logOut(session: TwinSession, token: number): Promise<void> {
    const access = newest(session.accesses, token);
    if (access === undefined) return;
    const now = this.#now;
    const isGood = !session.endedAt(now) && access.expiresAt > now && !access.isRevoked;
    const { status } = await this.client.call('DELETE', 'C:/current-api-session', access.text);
    this.#expect(status === 200, isGood, 'a log-out');
    if (isGood) session.isOver = true;
  }

  async #revokeAccess(session: TwinSession, token: number): Promise<void> {
    const access = newest(session.accesses, token);
    if (access === undefined) return;
    const form = { token: access.text, client_id: 'native' };
    const { status } = await this.client.post('/oidc/revoke', form);
    this.#expect(status === 200, true, 'a revocation');
    access.isRevoked = true;
  }

  async #restart(which: number): Promise<void> {
    if (which % 3 === 0) await this.network.restart();
    else if (which % 3 === 1) await this.network.crash();
    else await this.network.kill();
  }

  #expect(is: boolean, should: boolean, what: string): void {
    const told = `${what} is ${should ? 'answered' : 'refused'}`;
    this.seen.set(told, (this.seen.get(told) ?? 0) + 1);
    if (is !== should) throw new Error(`not so: ${told}`);
  }
}

t.test(`${histories} histories of sessions by OIDC`, async (t) => {
  const network = await bootNetwork({ freeze: false });
  const identities: string[] = [];
  for (const at of [0, 1])
    identities.push(await network.createUser(`user-${at}`, `password-${at}`));
  const seen = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 24 }), async (steps) => {
      const history = new History(network, identities, seen);
      for (const one of steps) await history.take(one);
      await history.checkAll();
      // The histories share their identities, but not their sessions.
      await network.logInAdmin();
      for (const id of identities) {
        await network.must('POST', 'M:/revocations', { id, type: 'IDENTITY' });
      }
    }),
    { numRuns: histories, endOnFailure: true },
  );
  for (const [what, count] of [...seen].sort()) t.comment(`${what}: ${count}`);
  const met = [
    'present is answered',
    'former is answered',
    'reuse is refused',
    'refused is refused',
  ];
  for (const verdict of met) t.ok(seen.has(`a refresh: ${verdict}`), verdict);
  t.ok(seen.has('a call is refused') && seen.has('a call is answered'));
  await network.stop();
});
