// Events of frames that an older version wrote are shown with the present names of their states.

import t from 'tap';
import type { Change, Frame, LoggedEvent } from '../../snapshots/journal.ts';
import { shownKinds } from '../../src/inspect/server/instances/shown-kinds.ts';
import { LogLines } from '../../src/inspect/server/log/log-lines.ts';
import { SimulatedClock } from '../simulated/clock.ts';

const former = 'certificate:current,life:existing';
const nobody = 'certificate:none,life:none';
const gone = 'certificate:removed,life:removed';

/** Values of version 2. */
function authenticator(method: string): readonly unknown[] {
  const nothing = [null, null, null, null, null, null];
  return [0, 0, null, null, former, method, 'i', ...nothing, false, null, null, null, false, false];
}

function frameOf(lsn: number, event: LoggedEvent, change: Partial<Change>): Frame {
  const cause = { actor: 'a', requestId: '', operation: 'test', causeLsn: 0 };
  const base = { kind: 'authenticator', id: 'a', version: 2, previousLsn: lsn - 1, values: null };
  return { ...cause, lsn, timeMs: 0, events: [event], changes: [{ ...base, ...change }] };
}

for (const [method, existing, removed] of [
  ['updb', 'life:existing', 'life:removed'],
  ['cert', former, gone],
] as const) {
  t.test(method, async (t) => {
    const values = authenticator(method);
    const created = frameOf(1, ['authenticator', 'a', 'create', nobody, former], { values });
    const deleted = frameOf(2, ['authenticator', 'a', 'remove', former, gone], {});
    const lines = new LogLines(shownKinds(new SimulatedClock()), (lsn) =>
      lsn === 1 ? created : undefined,
    );
    t.same(lines.eventsOf(created), [['authenticator', 'a', 'create', nobody, existing]]);
    t.same(lines.eventsOf(deleted), [['authenticator', 'a', 'remove', existing, removed]]);
    const { tail } = lines.of(deleted);
    t.match(tail, `"from":"${existing}","to":"${removed}"`);
  });
}

t.test('a frame whose record can no longer be read keeps its names', async (t) => {
  const lines = new LogLines(shownKinds(new SimulatedClock()), () => undefined);
  const event: LoggedEvent = ['authenticator', 'a', 'remove', former, gone];
  t.same(lines.eventsOf(frameOf(2, event, {})), [event]);
});
