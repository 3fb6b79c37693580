// Terminators of the peer: those of hosts are its routers', all others an operator's.

import { terminatorKind } from '../../records/terminator.ts';
import type { PeerEntity } from '../peer/entity.ts';
import { defineConversion } from './conversion.ts';
import { costOf, dropText, precedenceOf, textIn } from './entity-values.ts';
import { LeftOut } from './left-out.ts';

/** Bindings by which routers make terminators themselves, for hosts and for their tunnelers. */
const bindingsOfRouters = ['edge', 'tunnel'];

/** Where services are hosted. */
export const terminators = defineConversion({
  bucket: 'terminators',
  kind: terminatorKind,
  derived: [],
  convert(entity, _context, notes) {
    const [service, router] = [textIn(entity, 'service'), textIn(entity, 'router')];
    const binding = textIn(entity, 'binding') ?? 'transport';
    const address = textIn(entity, 'address');
    dropText(entity, 'savedPrecedence', notes);
    dropText(entity, 'sourceCtrl', notes);
    const precedence = precedenceOf(entity.text('precedence'), 'precedence', notes);
    const isOfRouter = bindingsOfRouters.includes(binding);
    const values = {
      binding,
      cost: costOf(entity.integer('cost'), 'cost', notes),
      precedence,
      identity: entity.text('instanceId') ?? '',
      identitySecret: secretOf(entity),
      hostId: textIn(entity, 'hostId'),
      peerData: peerDataOf(entity),
      isOfRouter,
      state: stateOf(precedence, isOfRouter),
    };
    if (service === undefined || router === undefined) {
      return new LeftOut('It names no service, or no router.');
    }
    if (address === undefined) return new LeftOut('It has no address.');
    return { ...values, service, router, address };
  },
});

function stateOf(precedence: string, isOfRouter: boolean): string {
  if (precedence === 'failed') return 'failed';
  return isOfRouter ? 'hosted' : 'declared';
}

function secretOf(entity: PeerEntity): string | undefined {
  const secret = entity.bytes('instanceSecret');
  return secret === undefined || secret.length === 0 ? undefined : secret.toString('base64');
}

/** Base64 by the number of the header. */
function peerDataOf(entity: PeerEntity): Record<string, string> | undefined {
  const entries = [...entity.numbered('peerData')];
  if (entries.length === 0) return undefined;
  return Object.fromEntries(
    entries.map(([number, bytes]) => [String(number), bytes.toString('base64')]),
  );
}
