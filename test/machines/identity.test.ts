// The life of an identity (behaviour/identities, behaviour/login#lockout).

import t from 'tap';
import { identity } from '../../machines/identity.ts';
import { asking, patchOf, said } from './said.ts';

const ask = asking(identity);
const enabled = {
  id: 'i',
  state: 'enabled',
  isAdmin: false,
  isDefaultAdmin: false,
  disabledAt: undefined,
  disabledUntil: undefined,
  lockedOutUntil: undefined,
};
const disabled = { ...enabled, state: 'disabled', disabledAt: 10, disabledUntil: 60_010 };
const minute = 60_000;

t.test('none: create -> enabled', async (t) => {
  const decision = ask(undefined, { type: 'create', fields: { isDefaultAdmin: false, name: 'x' } });
  t.equal(said(decision), 'none -> enabled');
  t.match(patchOf(decision), { name: 'x', disabledAt: undefined, disabledUntil: undefined });
});

t.test('enabled: disable for a while -> disabled, both times set', async (t) => {
  const decision = ask(enabled, { type: 'disable', now: 10, durationMinutes: 2 });
  t.equal(said(decision), 'enabled -> disabled');
  t.same(patchOf(decision), { disabledAt: 10, disabledUntil: 10 + 2 * minute });
});

t.test('enabled: disable for 0 or fewer minutes has no end', async (t) => {
  for (const durationMinutes of [0, -5]) {
    const decision = ask(enabled, { type: 'disable', now: 10, durationMinutes });
    t.equal(said(decision), 'enabled -> disabled');
    t.same(patchOf(decision), { disabledAt: 10, disabledUntil: undefined });
  }
});

t.test('disabled: disable again restarts the period', async (t) => {
  const decision = ask(disabled, { type: 'disable', now: 500, durationMinutes: 1 });
  t.equal(said(decision), 'disabled -> disabled');
  t.same(patchOf(decision), { disabledAt: 500, disabledUntil: 500 + minute });
});

t.test('disabled: enable -> enabled, all disabled state cleared', async (t) => {
  const decision = ask(disabled, { type: 'enable' });
  t.equal(said(decision), 'disabled -> enabled');
  t.same(patchOf(decision), {
    disabledAt: undefined,
    disabledUntil: undefined,
    lockedOutUntil: undefined,
  });
});

t.test('enabled: enable changes nothing', async (t) => {
  t.same(patchOf(ask(enabled, { type: 'enable' })), {});
  t.equal(said(ask(enabled, { type: 'enable' })), 'enabled -> enabled');
});

t.test('disabled: lapse -> enabled once the period is over, not before', async (t) => {
  t.equal(said(ask(disabled, { type: 'lapse', now: 60_009 })), 'disabled -> disabled');
  const decision = ask(disabled, { type: 'lapse', now: 60_010 });
  t.equal(said(decision), 'disabled -> enabled');
  t.same(patchOf(decision), { disabledAt: undefined, disabledUntil: undefined });
  const endless = { ...disabled, disabledUntil: undefined };
  t.equal(
    said(ask(endless, { type: 'lapse', now: Number.MAX_SAFE_INTEGER })),
    'disabled -> disabled',
  );
});

t.test('lock-out disables for its minutes, 0 until somebody enables', async (t) => {
  const decision = ask(enabled, { type: 'lockOut', now: 10, durationMinutes: 1 });
  t.equal(said(decision), 'enabled -> disabled');
  t.same(patchOf(decision), { disabledAt: 10, disabledUntil: 10 + minute });
  t.same(patchOf(ask(enabled, { type: 'lockOut', now: 10, durationMinutes: 0 })), {
    disabledAt: 10,
    disabledUntil: undefined,
  });
  t.same(patchOf(ask(disabled, { type: 'lockOut', now: 20, durationMinutes: 1 })), {});
});

t.test('an administrator is locked out without being disabled', async (t) => {
  const admin = { ...enabled, isAdmin: true };
  const decision = ask(admin, { type: 'lockOut', now: 10, durationMinutes: 60 });
  t.equal(said(decision), 'enabled -> enabled');
  t.same(patchOf(decision), { lockedOutUntil: 10 + 60 * minute });
  const endless = patchOf(ask(admin, { type: 'lockOut', now: 10, durationMinutes: 0 }));
  t.same(endless, { lockedOutUntil: Date.parse('+275760-09-13T00:00:00.000Z') });
  const locked = { ...admin, lockedOutUntil: 20 };
  t.same(patchOf(ask(locked, { type: 'lockOut', now: 19, durationMinutes: 60 })), {});
  t.same(patchOf(ask(locked, { type: 'lockOut', now: 20, durationMinutes: 1 })), {
    lockedOutUntil: 20 + minute,
  });
  t.equal(said(ask(locked, { type: 'enable' })), 'enabled -> enabled');
  t.match(Object.keys(patchOf(ask(locked, { type: 'enable' }))), [/./, /./, 'lockedOutUntil']);
});

t.test('a lock-out of the default admin ends after 15 minutes at most', async (t) => {
  const admin = { ...enabled, isAdmin: true, isDefaultAdmin: true };
  for (const [durationMinutes, expected] of [
    [0, 15],
    [60, 15],
    [5, 5],
  ] as const) {
    const decision = ask(admin, { type: 'lockOut', now: 10, durationMinutes });
    t.same(patchOf(decision), { lockedOutUntil: 10 + expected * minute });
  }
});

t.test('the default admin can be neither disabled nor deleted', async (t) => {
  for (const record of [enabled, disabled]) {
    const admin = { ...record, isDefaultAdmin: true };
    const { state } = record;
    t.equal(
      said(ask(admin, { type: 'disable', durationMinutes: 1 })),
      `${state} refuses ENTITY_CAN_NOT_BE_UPDATED`,
    );
    t.equal(said(ask(admin, { type: 'remove' })), `${state} refuses ENTITY_CAN_NOT_BE_DELETED`);
  }
});

t.test('removal deletes in either state', async (t) => {
  t.equal(said(ask(enabled, { type: 'remove' })), 'enabled -> (deleted)');
  t.equal(said(ask(disabled, { type: 'remove' })), 'disabled -> (deleted)');
});

t.test('the deadline is the end of the period', async (t) => {
  t.equal(identity.deadline?.event, 'lapse');
  t.equal(identity.deadline?.at(disabled), 60_010);
  t.equal(identity.deadline?.at(enabled), undefined);
});
