// Services in the fabric API: all of them, with the fields that the fabric needs
// (behaviour/fabric#services).

import { serviceKind } from '../../records/service.ts';
import { defineResource } from '../context.ts';

/** Every service. Those that are created here are not in the edge APIs. */
export const fabricServices = defineResource({
  kind: serviceKind,
  path: 'services',
  answered: 'leader',
  title: 'service',
  names: { one: 'Service', many: 'Services' },
  verbs: { fabric: ['list', 'get', 'create', 'update', 'patch', 'delete'] },
  permission: 'admin',
  takes: ['name', 'maxIdleTimeMillis', 'terminatorStrategy'],
  hidden: ['configs', 'encryptionRequired', 'roleAttributes'],
  links: { terminators: 'terminators' },
  symbols: ['name', 'terminatorStrategy', 'roleAttributes', 'configs', 'isFabricOnly'],
  deleteConflicts: true,
  check(_context, draft, _body, stored) {
    if (stored !== undefined) return;
    draft.isFabricOnly = true;
    draft.encryptionRequired = false;
  },
  example: { name: 'telemetry', terminatorStrategy: 'weighted' },
});
