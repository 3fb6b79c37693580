// Events through the runtime, on a host that consists of maps.

import t from 'tap';
import { setup } from 'xstate';
import { compile } from '../../machines/compile.ts';
import { machines } from '../../machines/index.ts';
import type {
  DurableMachine,
  Effect,
  MachineEvent,
  MachineRecord,
} from '../../machines/machine.ts';
import type { LoggedEvent } from '../../snapshots/journal.ts';
import { createRuntime, type MachineHost, type Runtime } from '../../src/actors/runtime.ts';

class FakeHost implements MachineHost {
  readonly records = new Map<string, { readonly id: string }>();
  readonly events: LoggedEvent[] = [];
  writes = 0;

  get(kind: string, id: string): MachineRecord | undefined {
    return this.records.get(`${kind} ${id}`) as MachineRecord | undefined;
  }

  put(kind: string, record: { readonly id: string }): void {
    this.writes++;
    this.records.set(`${kind} ${record.id}`, record);
  }

  delete(kind: string, id: string): void {
    this.writes++;
    this.records.delete(`${kind} ${id}`);
  }

  logEvent(event: LoggedEvent): void {
    this.events.push(event);
  }
}

const options = {
  refusal: (code: string, kind: string, id: string) => new Error(`refused ${code} ${kind} ${id}`),
  unhandled: (kind: string, id: string, state: string, event: string) =>
    new Error(`unhandled ${kind} ${id} ${state} ${event}`),
};

function fresh(): { runtime: Runtime; host: FakeHost } {
  return {
    runtime: createRuntime(
      machines.map((one) => compile(one)),
      options,
    ),
    host: new FakeHost(),
  };
}

const create = { type: 'create', now: 5, fields: { name: 'n', isDefaultAdmin: false } };

t.test('creates, changes and deletes a record, each event logged', async (t) => {
  const { runtime, host } = fresh();
  const created = runtime.send(host, 'identity', 'i', create);
  t.match(created, { from: 'none', to: 'enabled', changed: true });
  t.same(host.get('identity', 'i'), {
    id: 'i',
    state: 'enabled',
    name: 'n',
    isDefaultAdmin: false,
    disabledAt: undefined,
    disabledUntil: undefined,
    createdAt: 5,
    updatedAt: 5,
  });
  const before = host.get('identity', 'i');
  runtime.send(host, 'identity', 'i', { type: 'disable', now: 9, durationMinutes: 0 });
  t.match(host.get('identity', 'i'), {
    state: 'disabled',
    disabledAt: 9,
    name: 'n',
    createdAt: 5,
    updatedAt: 9,
  });
  t.match(before, { state: 'enabled' }, 'replaced, not changed');
  const removed = runtime.send(host, 'identity', 'i', { type: 'remove', now: 10 });
  t.same(removed, { from: 'disabled', to: 'deleted', changed: true, record: undefined });
  t.equal(host.records.size, 0);
  t.same(host.events, [
    ['identity', 'i', 'create', 'none', 'enabled'],
    ['identity', 'i', 'disable', 'enabled', 'disabled'],
    ['identity', 'i', 'remove', 'disabled', 'deleted'],
  ]);
});

t.test('an event that changes nothing writes nothing', async (t) => {
  const { runtime, host } = fresh();
  runtime.send(host, 'identity', 'i', create);
  const writes = host.writes;
  const sent = runtime.send(host, 'identity', 'i', { type: 'enable', now: 7 });
  t.match(sent, { from: 'enabled', to: 'enabled', changed: false, record: { updatedAt: 5 } });
  const none = runtime.send(host, 'mfaEnrollment', 'i', { type: 'remove', now: 7 });
  t.match(none, { from: 'none', changed: false, record: undefined });
  t.equal(host.writes, writes);
  t.equal(host.events.length, 1);
});

t.test('refused and unhandled events throw what the options make and write nothing', async (t) => {
  const { runtime, host } = fresh();
  const event = { type: 'verify', now: 1, codeValid: true };
  t.throws(() => runtime.send(host, 'mfaEnrollment', 'm', event), {
    message: 'refused NOT_FOUND mfaEnrollment m',
  });
  t.throws(() => runtime.send(host, 'apiSession', 's', { type: 'logOut', now: 1 }), {
    message: 'unhandled apiSession s none logOut',
  });
  t.equal(host.writes + host.events.length, 0);
});

t.test('effects reach other records within the same host', async (t) => {
  const { runtime, host } = fresh();
  const fields = { identityId: 'i', method: 'updb', username: 'u', certPem: undefined };
  runtime.send(host, 'authenticator', 'a', { type: 'create', now: 1, fields });
  const revert = {
    type: 'revert',
    now: 2,
    enrollmentId: 'e',
    caId: undefined,
    fields: { token: 't', jwt: 'j', expiresAt: 100 },
  };
  runtime.send(host, 'authenticator', 'a', revert);
  t.equal(host.get('authenticator', 'a'), undefined);
  t.match(host.get('enrollment', 'e'), { state: 'outstanding', method: 'updb', username: 'u' });
  t.same(
    host.events.slice(1).map(([kind, , event]) => `${kind} ${event}`),
    ['authenticator revert', 'enrollment create'],
  );

  runtime.send(host, 'authenticator', 'b', { type: 'create', now: 3, fields });
  t.throws(() => runtime.send(host, 'authenticator', 'b', { ...revert, now: 4 }), {
    message: 'refused ENROLLMENT_EXISTS enrollment e',
  });
});

/** Sends its own event on to the next record until told to stop. */
function chain(): DurableMachine {
  const machine = setup({
    types: { context: {} as { id: string }, events: {} as MachineEvent & { left: number } },
    actions: { passOn: () => {} },
  }).createMachine({
    id: 'chain',
    context: { id: '' },
    initial: 'none',
    states: { none: { on: { go: { target: 'there', actions: 'passOn' } } }, there: {} },
  });
  return {
    machine,
    meanings: {},
    guards: {},
    effects: {
      passOn(_, event: MachineEvent & { readonly left: number }): Effect[] {
        const { now, left } = event;
        if (left === 0) return [];
        const next = { type: 'go', now, left: left - 1 };
        return [{ kind: 'chain', id: `c${left - 1}`, event: next }];
      },
    },
  };
}

t.test('events are sent on to other records; the depth is bounded', async (t) => {
  const runtime = createRuntime([compile(chain())], options);
  const host = new FakeHost();
  runtime.send(host, 'chain', 'c7', { type: 'go', now: 1, left: 7 });
  const chained = [7, 6, 5, 4, 3, 2, 1, 0].map((left) => `chain c${left}`);
  t.same([...host.records.keys()], chained);
  t.throws(
    () => runtime.send(new FakeHost(), 'chain', 'c8', { type: 'go', now: 1, left: 8 }),
    /more than 8 deep/,
  );
});

t.test('a kind has one machine, and only kinds with a machine receive events', async (t) => {
  t.throws(() => createRuntime([compile(chain()), compile(chain())], options), /two machines/);
  const { runtime, host } = fresh();
  t.throws(() => runtime.send(host, 'nothing', 'x', create), /no machine for the kind nothing/);
});
