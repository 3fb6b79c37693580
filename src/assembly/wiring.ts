// Everything that is derived from records or reacts to them: access, posture, cascades, endings,
// times, states.

import { compile } from '../../machines/compile.ts';
import { machines } from '../../machines/index.ts';
import { Access } from '../access/access.ts';
import { followUpdates } from '../access/service-updates.ts';
import { evaluationBounds } from '../access/session-endings.ts';
import { connectAccess, storedIds } from '../access/store-access.ts';
import { createRuntime, type Runtime, transactionHost } from '../actors/runtime.ts';
import { Activity } from '../auth/activity.ts';
import { SessionRevocations } from '../auth/oidc/session-revocations.ts';
import { RecoveredTimes } from '../auth/recovered-times.ts';
import { CredentialEndings } from '../auth/sessions/credential-endings.ts';
import { ApiSessionEndings } from '../auth/sessions/endings.ts';
import { TokenKeyEndings } from '../auth/token-keys/endings.ts';
import { useBounds } from '../cluster/node/session-uses.ts';
import { Cascades } from '../declare/kinds/cascades.ts';
import type { Environment } from '../declare/operations/environment.ts';
import { isErrorCode } from '../errors/error-codes.ts';
import { ApiError, notFound } from '../errors/errors.ts';
import { MachineStates } from '../inspect/server/machines/machine-states.ts';
import type { Ids } from '../platform/ids.ts';
import { Posture } from '../posture/posture.ts';
import { sessionCondition } from '../posture/session-condition.ts';
import { kinds } from '../resources/index.ts';
import {
  endingSources,
  sessionSource,
  updateSources,
} from '../resources/sessions/session-sources.ts';
import { ModelCapture } from '../routers/model/capture.ts';
import { UsageHours } from '../routers/usage/usage-hours.ts';
import { boundsOf } from '../settings/bounds.ts';
import type { Store } from '../store/store.ts';
import type { CoreOptions, Opened } from './core-options.ts';

/**
 * Creates everything that is derived from records or reacts to them. It sees each record during
 * recovery, while that is in the processor's cache: a pass over a million records afterwards takes
 * longer.
 */
export function connectStore(options: CoreOptions, { store, ids }: Pick<Opened, 'store' | 'ids'>) {
  const { config, clock } = options;
  const runtime = createMachines();
  const send: Environment['send'] = (tx, kind, id, event) =>
    runtime.send(transactionHost(store, tx), kind, id, event);
  const cascades = createCascades(store, runtime, ids);
  const accessOptions = { ids: storedIds(store, kinds) };
  const access = new Access(accessOptions);
  followUpdates({
    store,
    changeStamps: access.changeStamps,
    identityKind: 'identity',
    sources: updateSources(store, access),
  });
  // It observes members and policies before access does.
  const modelCapture = new ModelCapture(store, access);
  const posture = new Posture(store, access);
  const evaluating = boundsOf(evaluationBounds, options.bounds);
  const connected = connectAccess({
    store,
    access,
    kinds,
    sessions: sessionSource,
    condition: sessionCondition(posture, clock),
    cascades,
    endings: endingSources(store, access, posture),
    affected: (identities) => access.changeStamps.note(identities),
    renewed: () => posture.forget(),
    newId: () => ids.entity(),
    evaluatedMax: evaluating.sessionsEvaluatedMax,
    evaluatedMs: evaluating.sessionsEvaluatedMs,
    clock,
  });
  const newId = () => ids.sortable();
  const apiSessionEndings = new ApiSessionEndings({ store, cascades, newId });
  if (config.auth.endSessionsWithCredential) new CredentialEndings(store, apiSessionEndings);
  // It comes first, because sessions that it ends leave revocations, too.
  new TokenKeyEndings(store, send, apiSessionEndings);
  new SessionRevocations(store, send);
  // After the others: what they write is in the frame, too.
  store.beforeCommit(modelCapture);
  const { unheardMs } = boundsOf(useBounds, options.bounds);
  const activity = new Activity(options.openWriter === undefined ? 0 : unheardMs);
  const recovered = new RecoveredTimes({ store, kinds, activity });
  const withMachine = kinds.filter(({ machine }) => machine !== undefined);
  const states = new MachineStates(
    store,
    withMachine.map(({ kind }) => kind),
  );
  return {
    send,
    cascades,
    access,
    accessOptions,
    connected,
    modelCapture,
    posture,
    activity,
    recovered,
    states,
    apiSessionEndings,
    usage: new UsageHours({
      store,
      clock,
      keepHours: config.usage.keepHours,
      rowsMax: config.limits.usageRowsMax,
    }),
  };
}

/** The result of `connectStore`. */
export type Wiring = ReturnType<typeof connectStore>;

function createMachines(): Runtime {
  const tables = machines.map((machine) => compile(machine));
  return createRuntime(tables, {
    refusal: refusalOf,
    unhandled: (kind, id, state) =>
      state === 'none' ? notFound(kind, id) : new ApiError('COULD_NOT_VALIDATE'),
  });
}

function createCascades(store: Store, runtime: Runtime, ids: Ids): Cascades {
  const removes = new Map(kinds.map(({ kind, machine }) => [kind, machine?.removes ?? '']));
  return new Cascades({
    kinds,
    store,
    newId: () => ids.entity(),
    remover: (tx, kind, id) => {
      const event = { type: removes.get(kind) ?? '', now: tx.now };
      runtime.send(transactionHost(store, tx), kind, id, event);
    },
  });
}

function refusalOf(code: string): Error {
  return isErrorCode(code) ? new ApiError(code) : new Error(`no error code ${code}`);
}
