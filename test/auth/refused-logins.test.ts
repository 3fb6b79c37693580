// Refused logins in the log: the first of a source at once, its repetitions as a count.

import t from 'tap';
import { RefusedLogins } from '../../src/auth/refused-logins.ts';
import { SimulatedClock } from '../simulated/clock.ts';

interface Line extends Readonly<Record<string, unknown>> {
  readonly message: string;
}

function reporting() {
  const clock = new SimulatedClock();
  const lines: Line[] = [];
  const told: unknown[] = [];
  const write = (fields: object, message: string) => void lines.push({ ...fields, message });
  const refused = new RefusedLogins(clock, write, {
    wants: (type) => type === 'authentication',
    tell: (_type, fields) => void told.push(fields),
  });
  return {
    told,
    clock,
    lines,
    refused,
    taken: () => lines.splice(0),
  };
}

const method = 'password';

t.test('programs are told of each, without the user name', async (t) => {
  const { refused, told } = reporting();
  const clerk = { method, address: '192.0.2.1', username: 'clerk' };
  for (let n = 0; n < 2; n++) refused.refused(clerk);
  const fields = { event_type: 'fail', method, remote_address: '192.0.2.1', success: false };
  t.same(told, [fields, fields]);
});

const first = 'a login was refused';
const more = 'more of these logins were refused';

t.test('the first is told at once, its repetitions as a count after a minute', async (t) => {
  const { clock, refused, taken } = reporting();
  const clerk = { method, address: '192.0.2.1', username: 'clerk' };
  for (let n = 0; n < 5; n++) refused.refused(clerk);
  refused.refused({ method: 'cert', address: '192.0.2.1', username: undefined });
  t.same(taken(), [
    { ...clerk, message: first },
    { method: 'cert', address: '192.0.2.1', message: first },
  ]);
  clock.advance(60_000);
  t.same(taken(), [{ ...clerk, count: 4, message: more }]);
  clock.advance(600_000);
  t.same(taken(), [], 'nothing happened since');
  refused.refused(clerk);
  t.same(taken(), [{ ...clerk, message: first }], 'a new minute begins');
});

t.test('a stop does not wait for the minute', async (t) => {
  const { clock, refused, taken } = reporting();
  const clerk = { method, address: '192.0.2.1', username: 'clerk' };
  for (let n = 0; n < 3; n++) refused.refused(clerk);
  refused.flush();
  t.same(taken().at(-1), { ...clerk, count: 2, message: more });
  t.equal(clock.timers, 0);
  refused.flush();
  t.same(taken(), [], 'nothing is told twice');
});

t.test('many sources share one line', async (t) => {
  const { clock, refused, taken } = reporting();
  for (let n = 0; n < 1050; n++) refused.refused({ method, address: `10.0.${n}.1`, username: 'x' });
  t.equal(taken().length, 50);
  clock.advance(60_000);
  t.same(taken(), [{ count: 1000, message: 'logins from further sources were refused' }]);
});

t.test('lockouts are told, up to a bound', async (t) => {
  const { clock, refused, taken } = reporting();
  for (let n = 0; n < 53; n++) refused.lockedOut(`id-${n}`, `user-${n}`, '192.0.2.1');
  const lines = taken();
  t.equal(lines.length, 50);
  t.same(lines[0], {
    identityId: 'id-0',
    username: 'user-0',
    address: '192.0.2.1',
    message: 'an identity was locked out after wrong passwords',
  });
  clock.advance(60_000);
  t.same(taken(), [{ count: 3, message: 'further identities were locked out' }]);
});

t.test('a long user name is cut', async (t) => {
  const { refused, taken } = reporting();
  refused.refused({ method, address: '192.0.2.1', username: 'x'.repeat(5000) });
  t.equal(taken()[0]?.['username'], 'x'.repeat(100));
});
