// Groups of frames as bytes, applied by a node that follows.

import t from 'tap';
import Type from 'typebox';
import { packFrame, packSeal, packTerm, packValue } from '../../snapshots/log/codec.ts';
import { frameKinds } from '../../snapshots/log/frame.ts';
import { field } from '../../src/declare/kinds/field.ts';
import { defineKind } from '../../src/declare/kinds/kind.ts';
import { FrameDoesNotFit } from '../../src/store/applied-frame.ts';
import { Following } from '../../src/store/following.ts';
import { Store } from '../../src/store/store.ts';
import * as fc from '../properties.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { endProcess } from '../simulated/fatal.ts';
import { SharedLog } from '../simulated/shared-log.ts';
import { MemoryJournal } from './journal-in-memory.ts';

const dataSetId = '0123456789abcdef'.repeat(2);

const fruit = defineKind({
  kind: 'fruit',
  version: 1,
  many: [],
  fields: { weight: field(Type.Integer(), { fallback: 0 }) },
});

/** A journal that notes what it is told. */
class FollowingMemory extends MemoryJournal {
  lastTimeMs = 0;
  told: { lsn: number; timeMs: number; bytes: number }[] = [];

  override get lastLsn(): number {
    return this.told.at(-1)?.lsn ?? 0;
  }

  followed(frames: { lsn: number; timeMs: number; bytes: number }): void {
    this.told.push(frames);
  }

  lead(): void {}
}

function opened() {
  const clock = new SimulatedClock();
  const tables = [fruit.table];
  const store = new Store({ clock, tables, freeze: true, cascadeRowsMax: 3, fatal: endProcess });
  const journal = new FollowingMemory();
  const began: { term: number; timeMs: number }[] = [];
  const termBegan = (term: number, timeMs: number) => void began.push({ term, timeMs });
  const following = new Following({ store, journal, dataSetId, termBegan });
  return { store, journal, following, began };
}

const deletion = { kind: 'fruit', id: 'a', previousLsn: 0, version: 1, values: null };
const frame = { timeMs: 7, actor: '', requestId: '', operation: '', causeLsn: 0, events: [] };

function payloadOf(kind: number, timeMs: number): Uint8Array {
  if (kind === frameKinds.seal) return packSeal(timeMs);
  if (kind === frameKinds.term) return packTerm({ timeMs, term: 7, nonce: '0'.repeat(32) });
  return packFrame({ ...frame, timeMs, changes: [] });
}

/** A log whose frames change nothing but time. */
function logOf(kinds: readonly number[]): SharedLog {
  const log = new SharedLog(dataSetId, 0);
  for (const [at, kind] of kinds.entries()) {
    log.append(kind, Buffer.from(payloadOf(kind, at)));
  }
  return log;
}

t.test('seals and terms change nothing and count', async (t) => {
  const { journal, following, store, began } = opened();
  const { transaction, seal, term } = frameKinds;
  const { frames } = logOf([transaction, seal, term, transaction]).after(0);
  following.apply(frames, 4);
  t.same(journal.told, [{ lsn: 4, timeMs: 3, bytes: frames.length }]);
  t.equal(store.appliedLsn, 4);
  t.equal(following.lastLsn, 4);
  t.same(began, [{ term: 7, timeMs: 2 }]);
});

t.test('a kind of a later version is refused', async (t) => {
  const { following, journal } = opened();
  const log = new SharedLog(dataSetId, 0);
  log.append(9, Buffer.from(packValue([1])));
  t.throws(() => following.apply(log.after(0).frames, 1), { name: 'NewerRecord' });
  t.same(journal.told, []);
});

t.test('a change that does not fit is refused', async (t) => {
  const { following } = opened();
  const log = new SharedLog(dataSetId, 0);
  log.append(frameKinds.transaction, Buffer.from(packFrame({ ...frame, changes: [deletion] })));
  t.throws(() => following.apply(log.after(0).frames, 1), { name: 'FrameDoesNotFit' });
});

t.test('frames of another home are refused', async (t) => {
  const { following } = opened();
  const log = new SharedLog('ff'.repeat(16), 0);
  log.append(frameKinds.seal, Buffer.from(packSeal(1)));
  t.throws(() => following.apply(log.after(0).frames, 1), { name: 'FrameDoesNotFit' });
});

t.test('any gap and any changed byte is refused', async () => {
  const groups = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 2, maxLength: 6 });
  fc.assert(
    fc.property(groups, fc.nat(), fc.nat(), fc.boolean(), (sizes, pick, where, isGap) => {
      const { following } = opened();
      const total = sizes.reduce((sum, size) => sum + size, 0);
      const log = logOf(Array.from({ length: total }, () => frameKinds.transaction));
      const wrongAt = pick % sizes.length;
      let lsn = 0;
      for (const [at, size] of sizes.entries()) {
        const bytes = log.frames.slice(lsn, lsn + size).map((one) => one.bytes);
        lsn += size;
        if (at !== wrongAt) {
          following.apply(Buffer.concat(bytes), lsn);
          continue;
        }
        const damaged = Buffer.concat(isGap ? bytes.slice(1) : bytes);
        // Bytes that the checksum covers, and the checksum itself; not the padding's length.
        if (!isGap) damaged[where % damaged.length] = (damaged[where % damaged.length] ?? 0) ^ 1;
        try {
          following.apply(damaged, lsn);
          return false;
        } catch (error) {
          return error instanceof FrameDoesNotFit;
        }
      }
      return true;
    }),
  );
});
