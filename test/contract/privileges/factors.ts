// Callers with a second factor, at each stage of its setup.

import { appCode } from '../../simulated/authenticator-app.ts';
import type { Party, World } from './callers.ts';
import type { CallerKind } from './privilege-table.ts';

/** How far an identity has come with MFA. */
export type MfaState = 'none' | 'pending' | 'verified';

/** A caller with a second factor. */
export interface Holder {
  readonly party: Party;
  /** Base32; empty when there is none. */
  readonly secret: string;
  /** A code that was not used. */
  readonly code: string;
}

/** A new caller of a kind, that far with MFA. Who is partial then owes the factor that it has. */
export async function holder(world: World, kind: CallerKind, state: MfaState): Promise<Holder> {
  const { network } = world;
  // Nobody verifies MFA and still owes it: a partial caller then comes back in another session.
  const comesBack = state === 'verified' && (kind === 'partial' || kind === 'p-admin');
  const party = comesBack
    ? await world.newParty({ isAdmin: kind === 'p-admin' })
    : await world.newCaller(kind);
  if (state === 'none') return { party, secret: '', code: '' };
  const path = 'C:/current-identity/mfa';
  await world.mustAs(party, 'POST', path);
  const detail = await world.callAs(party, 'GET', path);
  const { provisioningUrl } = detail.data as { provisioningUrl: string };
  const secret = new URL(provisioningUrl).searchParams.get('secret') ?? '';
  const codeOf = (steps: number) => appCode(secret, network.clock.now(), steps);
  // A code is taken once: the one of the step before verifies, the present one is still good.
  const code = codeOf(0);
  // A login by OIDC has to bring a code as soon as there is an app.
  const early = comesBack && world.isByOidc ? await world.loggedIn(party) : undefined;
  if (state === 'verified') {
    await world.mustAs(party, 'POST', `${path}/verify`, { code: codeOf(-1) });
  }
  if (!comesBack) return { party, secret, code };
  if (early !== undefined) await world.owe(party);
  return { party: early ?? (await world.loggedIn(party)), secret, code };
}
