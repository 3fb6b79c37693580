// The naive world of the posture model: everything there is, who may do what, and what follows from
// a change, by straight scans (behaviour/policies, behaviour/sessions, behaviour/posture).

import { endsAt, isPassed, passes, selects } from './posture-rules.ts';
import type {
  AccessType,
  ApiSession,
  Check,
  Family,
  Identity,
  Member,
  Policy,
  Session,
  Space,
} from './posture-things.ts';

/** What an identity may do with a service, and by which service policies. */
export interface Right {
  readonly serviceId: string;
  readonly dial: boolean;
  readonly bind: boolean;
  readonly policies: readonly Policy[];
}

/** Whose stamps a change may move beside those whose services look different by it. */
export interface Concerned {
  /** Asked before and after the change. */
  readonly may?: () => Iterable<string>;
  /** Those whose posture was submitted again: their stamps do move (behaviour/posture#effects). */
  readonly must?: readonly string[];
}

/** Naive, and in step with a network as long as it is told of each change and of time. */
export class World {
  now: number;
  /** The latest moment there has been: the clock may have been set back since. */
  latest: number;
  /** When the process began that runs now. */
  startedAt: number;
  /** Whether the strict auth policy asks for TOTP. */
  asksForTotp = false;
  readonly identities = new Map<string, Identity>();
  readonly apiSessions = new Map<string, ApiSession>();
  readonly services = new Map<string, Member>();
  readonly routers = new Map<string, Member>();
  readonly checks = new Map<string, Check>();
  readonly policies = new Map<string, Policy>();
  readonly sessions = new Map<string, Session>();
  /** How many sessions ended for which reason. */
  readonly ended = { access: 0, posture: 0, time: 0 };
  #selected = new Map<string, ReadonlySet<string>>();
  #rights = new Map<string, readonly Right[]>();
  #views = new Map<string, string>();

  constructor(now: number) {
    this.now = now;
    this.latest = now;
    this.startedAt = now;
  }

  /** Makes a change, with everything that follows from it. */
  change(mutate: () => void, { may = () => [], must = [] }: Concerned = {}): void {
    const concerned = new Set(may());
    const before = { views: this.#views, verdicts: this.#verdicts() };
    mutate();
    this.#derive();
    for (const id of may()) concerned.add(id);
    const moved = new Set(must);
    for (const [id, view] of this.#views) if (before.views.get(id) !== view) moved.add(id);
    for (const [key, verdict] of this.#verdicts()) {
      const was = before.verdicts.get(key);
      if (was !== undefined && was !== verdict) moved.add(key.split(' ')[0] ?? '');
    }
    for (const session of this.sessions.values()) {
      if (this.mayStay(session)) continue;
      this.sessions.delete(session.id);
      concerned.add(session.identityId);
      if (!this.#hasAccess(session)) this.ended.access++;
      else {
        this.ended.posture++;
        moved.add(session.identityId);
      }
    }
    for (const id of concerned) this.#stamp(id);
    for (const id of moved) this.#stamp(id, this.now);
  }

  /**
   * Whether the clock was set back and has not caught up: stamps then neither have to move nor
   * stay.
   */
  get isBack(): boolean {
    return this.now < this.latest;
  }

  /** Lets time go by until `to`: what fails by itself, and identities that are enabled again. */
  passTime(to: number): void {
    const before = this.#verdicts('also without services');
    const from = this.now;
    this.now = to;
    this.latest = Math.max(this.latest, to);
    if (to < from) this.#forgetStamps();
    for (const identity of this.identities.values()) {
      if ((identity.disabledUntil ?? Number.POSITIVE_INFINITY) > to) continue;
      identity.disabledUntil = undefined;
      this.#stamp(identity.id);
    }
    for (const [key, verdict] of this.#verdicts('also without services')) {
      if (before.get(key) !== verdict) this.#stamp(key.split(' ')[0] ?? '');
    }
    for (const session of this.sessions.values()) {
      if (this.mayStay(session)) continue;
      this.sessions.delete(session.id);
      this.ended.time++;
      this.#stamp(session.identityId, this.#lastMoment(session, from, to) + 1);
    }
  }

  /** The process that runs now began at this moment: what only memory knew is gone. */
  restarted(): void {
    this.startedAt = this.now;
    if (this.isBack) this.#forgetStamps();
    for (const identity of this.identities.values()) {
      identity.refused = [];
      if (identity.mfa !== undefined) identity.mfa.usedAt = undefined;
      this.#stamp(identity.id);
    }
  }

  /** What an identity may do, by service id (behaviour/policies#access). */
  rightsOf(identityId: string): readonly Right[] {
    return this.#rights.get(identityId) ?? [];
  }

  /** Service policies of a type that link both. */
  linking(identityId: string, serviceId: string, type: AccessType): readonly Policy[] {
    const right = this.rightsOf(identityId).find((one) => one.serviceId === serviceId);
    return (right?.policies ?? []).filter((policy) => policy.type === type);
  }

  /** The checks that a service policy asks for, by id. */
  checksOf(policy: Policy): readonly Check[] {
    return [...this.checks.values()].filter((check) => this.isSelected(policy, 'check', check.id));
  }

  /** Whether a policy selects a member. */
  isSelected(policy: Policy, space: Space, id: string): boolean {
    return this.#selected.get(`${policy.id} ${space}`)?.has(id) ?? false;
  }

  /** Members of a space that a policy selects. */
  selectedBy(policyId: string, space: Space): readonly string[] {
    return [...(this.#selected.get(`${policyId} ${space}`) ?? [])];
  }

  /** Checks of a policy that fail for an identity at one of its API sessions. */
  failing(policy: Policy, identity: Identity, at: ApiSession | undefined): readonly Check[] {
    return this.checksOf(policy).filter((check) => !passes(check, identity, at, this.now));
  }

  /** Whether a router is shared by both (behaviour/policies#routers). */
  hasRouter(identityId: string, serviceId: string): boolean {
    const routersOf = (family: Family, space: Space, id: string) =>
      [...this.policies.values()]
        .filter((policy) => policy.family === family && this.isSelected(policy, space, id))
        .flatMap((policy) => this.selectedBy(policy.id, 'router'));
    const shared = new Set(routersOf('edge-router-policies', 'identity', identityId));
    return routersOf('service-edge-router-policies', 'service', serviceId).some((id) =>
      shared.has(id),
    );
  }

  /** Whether a session may stay (behaviour/sessions; administrators keep what no policy gives). */
  mayStay(session: Session, now = this.now): boolean {
    const identity = this.identities.get(session.identityId);
    const at = this.apiSessions.get(session.apiSessionId);
    if (identity === undefined || at === undefined || !this.services.has(session.serviceId)) {
      return false;
    }
    const policies = this.linking(session.identityId, session.serviceId, session.type);
    if (policies.length === 0) return identity.isAdmin || identity.isDefaultAdmin;
    return policies.some((policy) =>
      this.checksOf(policy).every((check) => passes(check, identity, at, now)),
    );
  }

  /** Whether an API session still owes a TOTP code (behaviour/api-sessions#factors). */
  isPartial({ identityId, isMfaRequired, isMfaComplete }: ApiSession): boolean {
    const { isStrict = false, mfa } = this.identities.get(identityId) ?? {};
    const isEnrolled = mfa?.isVerified === true;
    return !isMfaComplete && ((isMfaRequired && isEnrolled) || (isStrict && this.asksForTotp));
  }

  /** Ends an API session with its sessions. */
  endApiSession(id: string): void {
    this.apiSessions.delete(id);
    for (const session of this.sessions.values()) {
      if (session.apiSessionId === id) this.sessions.delete(session.id);
    }
  }

  /** Removes a member with what belongs to it, and from the policies that name it. */
  remove(space: Space, id: string): void {
    const members = { identity: this.identities, service: this.services, router: this.routers };
    (space === 'check' ? this.checks : members[space]).delete(id);
    for (const policy of this.policies.values()) {
      const roles = policy.roles[space];
      if (roles === undefined) continue;
      policy.roles = { ...policy.roles, [space]: roles.filter((role) => role !== `@${id}`) };
    }
    for (const { id: own, identityId } of [...this.apiSessions.values()]) {
      if (identityId === id) this.endApiSession(own);
    }
    for (const { id: own, serviceId } of [...this.sessions.values()]) {
      if (serviceId === id) this.sessions.delete(own);
    }
  }

  /** The last moments of what fails by itself, as things stand, ascending. */
  comingEnds(): readonly number[] {
    const moments = new Set<number>();
    for (const apiSession of this.apiSessions.values()) {
      const mfa = this.identities.get(apiSession.identityId)?.mfa;
      if (!isPassed(mfa, apiSession)) continue;
      for (const { wanted } of this.checks.values()) {
        const at = wanted.typeId === 'MFA' ? endsAt(wanted, apiSession) : 0;
        if (at > this.now && Number.isFinite(at)) moments.add(at);
      }
    }
    return [...moments].sort((left, right) => left - right);
  }

  /**
   * The last moment of a session that ends by itself; undefined when none does, as things stand.
   */
  nextEnding(): number | undefined {
    const sessions = [...this.sessions.values()];
    return this.comingEnds().find((at) => sessions.some((one) => !this.mayStay(one, at + 1)));
  }

  #derive(): void {
    this.#selected = new Map();
    const spaces: readonly (readonly [
      Space,
      ReadonlyMap<string, Pick<Member, 'id' | 'attributes'>>,
    ])[] = [
      ['identity', this.identities],
      ['service', this.services],
      ['router', this.routers],
      ['check', this.checks],
    ];
    for (const policy of this.policies.values()) {
      for (const [space, members] of spaces) {
        const found = [...members.values()].filter((member) => selects(policy, space, member));
        this.#selected.set(`${policy.id} ${space}`, new Set(found.map(({ id }) => id)));
      }
    }
    this.#rights = new Map();
    this.#views = new Map();
    for (const id of this.identities.keys()) {
      const rights = this.#rightsOf(id);
      this.#rights.set(id, rights);
      this.#views.set(id, rights.map((right) => this.#viewOf(right)).join('\n'));
    }
  }

  #rightsOf(identityId: string): Right[] {
    const own = [...this.policies.values()].filter(
      (policy) =>
        policy.family === 'service-policies' && this.isSelected(policy, 'identity', identityId),
    );
    return [...this.services.keys()].flatMap((serviceId) => {
      const policies = own.filter((policy) => this.isSelected(policy, 'service', serviceId));
      if (policies.length === 0) return [];
      const dial = policies.some(({ type }) => type === 'Dial');
      return [{ serviceId, dial, bind: policies.some(({ type }) => type === 'Bind'), policies }];
    });
  }

  /** What of a service its clients see, but for the answers to its posture queries. */
  #viewOf({ serviceId, policies }: Right): string {
    const sets = policies.map((policy) => {
      const checks = this.checksOf(policy).map(({ id, revision }) => `${id}:${revision}`);
      return `${policy.id}:${policy.type}:${checks}`;
    });
    return `${serviceId}:${this.services.get(serviceId)?.revision}:${sets.join(';')}`;
  }

  /** By identity, API session and check: whether it passes, for checks the identity is asked. */
  #verdicts(of: 'services' | 'also without services' = 'services'): Map<string, boolean> {
    const verdicts = new Map<string, boolean>();
    for (const apiSession of this.apiSessions.values()) {
      const identity = this.identities.get(apiSession.identityId);
      if (identity === undefined) continue;
      const policies =
        of === 'services'
          ? this.rightsOf(identity.id).flatMap((right) => right.policies)
          : [...this.policies.values()].filter((policy) =>
              this.isSelected(policy, 'identity', identity.id),
            );
      const checks = [...new Set(policies)].flatMap((policy) => this.checksOf(policy));
      for (const check of new Set(checks)) {
        const key = `${identity.id} ${apiSession.id} ${check.id}`;
        verdicts.set(key, passes(check, identity, apiSession, this.now));
      }
    }
    return verdicts;
  }

  #hasAccess({ identityId, serviceId, type }: Session): boolean {
    return this.linking(identityId, serviceId, type).length > 0;
  }

  /** The last moment at which a session could stay that fails between two. */
  #lastMoment(session: Session, from: number, to: number): number {
    let [good, bad] = [from, to];
    while (bad - good > 1) {
      const middle = Math.floor((good + bad) / 2);
      if (this.mayStay(session, middle)) good = middle;
      else bad = middle;
    }
    return good;
  }

  /** What stamps were before the clock was set back says nothing of those that come. */
  #forgetStamps(): void {
    for (const apiSession of this.apiSessions.values()) apiSession.lastRead = undefined;
    for (const identity of this.identities.values()) identity.mustAt = 0;
  }

  /** The identity's stamp may move, and is at `must` at least. */
  #stamp(identityId: string, must = 0): void {
    const identity = this.identities.get(identityId);
    if (identity === undefined) return;
    if (!this.isBack) identity.mustAt = Math.max(identity.mustAt, must);
    identity.mayAt = this.latest;
  }
}
