// Tickets: one use, 30 s, bounded, and none in a log line.

import t from 'tap';
import { type TicketHolder, Tickets } from '../../src/inspect/server/stream/tickets.ts';
import { apiSessionKind } from '../../src/records/api-session.ts';
import { tokenHash } from '../../src/records/token-hash.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { bootNetwork } from '../simulated/network.ts';
import { SimulatedRandom } from '../simulated/random.ts';

const bounds = { inspectorTicketMs: 30_000, inspectorTicketsMax: 3 };
const holder = { bearerTokens: [] } as unknown as TicketHolder;

t.test('a ticket is taken once, by whoever shows all of it, in time', (t) => {
  const clock = new SimulatedClock();
  const tickets = new Tickets({ clock, random: new SimulatedRandom(1), bounds });
  const ticket = tickets.issue(holder);
  t.equal(Buffer.from(ticket, 'base64url').length, 32);
  t.not(tickets.issue(holder), ticket);
  t.equal(tickets.take(''), undefined);
  t.equal(tickets.take(ticket.slice(1)), undefined);
  t.equal(tickets.take(ticket), holder);
  t.equal(tickets.take(ticket), undefined, 'used up');
  const late = tickets.issue(holder);
  clock.advance(bounds.inspectorTicketMs);
  t.equal(tickets.take(late), undefined, 'too late');
  t.end();
});

t.test('inspectorTicketsMax: one more is refused until the oldest has ended', (t) => {
  const clock = new SimulatedClock();
  const tickets = new Tickets({ clock, random: new SimulatedRandom(1), bounds });
  tickets.issue(holder);
  clock.advance(1000);
  tickets.issue(holder);
  tickets.issue(holder);
  t.throws(() => tickets.issue(holder), { code: 'RATE_LIMITED' });
  clock.advance(bounds.inspectorTicketMs - 1000);
  tickets.issue(holder);
  t.equal(tickets.size, 3);
  t.end();
});

t.test('administrators get one', async (t) => {
  const network = await bootNetwork();
  const answer = await network.call('POST', 'M:/inspect/tickets');
  t.equal(answer.status, 201);
  const { ticket, expiresAt } = answer.data as { ticket: string; expiresAt: string };
  t.equal(Date.parse(expiresAt), network.clock.now() + 30_000);
  const session = network.env.store
    .table(apiSessionKind)
    .findBy('tokenHash', tokenHash(network.admin));
  t.equal(network.env.tickets.take(ticket)?.caller.session, session);
  await network.createUser('somebody', 'secret-secret');
  const token = await network.login('somebody', 'secret-secret');
  t.equal((await network.call('POST', 'M:/inspect/tickets', { token })).status, 401);
  t.equal((await network.call('POST', 'M:/inspect/tickets', { token: null })).status, 401);
  t.notOk(network.logged.join('').includes(ticket));
  await network.stop();
});
