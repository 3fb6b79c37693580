// The scenes of the OIDC provider: what logins, tokens and sessions by OIDC cost against those
// without it.

import type { HomeRun } from './local-homes.ts';
import { measureOidcCircuits as measureCircuits } from './oidc/circuits.ts';
import { measureOidcLogins as measureLogins } from './oidc/logins.ts';
import { measureOidcSessions as measureSessions } from './oidc/sessions.ts';
import { beforeOidc, measureUnusedOidc } from './oidc/unused.ts';
import type { RatioMeasurement } from './ratio.ts';
import { noteRows, rowOptions, withRevision } from './ratio-rows.ts';

/** Logins, refreshes, and requests with access tokens. */
export async function measureOidcLogins(run: HomeRun): Promise<void> {
  run.progress('logins by OIDC');
  await measureLogins(rowOptions(run), telling(run));
}

/** Many sessions: their memory, first requests with their tokens, refreshes, and ends. */
export async function measureOidcSessions(run: HomeRun): Promise<void> {
  run.progress('many OIDC sessions');
  await measureSessions(rowOptions(run), telling(run));
}

/** Circuits of clients that logged in by OIDC. */
export async function measureOidcCircuits(run: HomeRun): Promise<void> {
  run.progress('circuits by OIDC');
  telling(run)(await measureCircuits(rowOptions(run)));
}

/** The cost of the provider for clients that do not use it. */
export async function measureOidcUnused(run: HomeRun): Promise<void> {
  run.progress('a controller without OIDC sessions');
  await withRevision(run, beforeOidc, (before) =>
    measureUnusedOidc(rowOptions(run), before, telling(run)),
  );
}

function telling(run: HomeRun): (row: RatioMeasurement) => void {
  return (row) => noteRows(run, 'oidcRatios', [row]);
}
