// The operation that issues a ticket. It stands apart from tickets, which are a part of the
// environment that it uses.

import Type from 'typebox';
import { isoTime } from '../../../declare/resources/view.ts';
import { boundsOf } from '../../../settings/bounds.ts';
import { type Operation, operation } from '../context.ts';
import { ticketBounds } from './tickets.ts';

/** `POST /inspect/tickets` */
export const createInspectTicket: Operation = operation({
  id: 'createInspectTicket',
  method: 'POST',
  path: '/inspect/tickets',
  answered: 'leader',
  permission: 'admin',
  summary: 'Get a ticket that opens one inspector stream, once',
  success: 201,
  answer: Type.Object(
    { ticket: Type.String(), expiresAt: Type.String({ format: 'date-time' }) },
    { title: 'inspectTicket' },
  ),
  errors: [401, 429],
  writes: false,
  decide({ env, caller, bearerTokens, now }) {
    const ticket = env.tickets.issue({ caller, bearerTokens });
    const expiresAt = isoTime(now + boundsOf(ticketBounds, env.bounds).inspectorTicketMs);
    const data = [JSON.stringify({ ticket, expiresAt })];
    return { form: 'data', status: 201, data };
  },
});
