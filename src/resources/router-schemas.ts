// What edge routers show to clients, as schemas: in sessions and in clients' lists.

import Type from 'typebox';

/** Schemas of what an edge router shows to clients, without Base. */
export const commonProperties = {
  appData: Type.Record(Type.String(), Type.Unknown()),
  cost: Type.Integer(),
  disabled: Type.Boolean(),
  hostname: Type.String(),
  isOnline: Type.Boolean(),
  name: Type.String(),
  noTraversal: Type.Boolean(),
  supportedProtocols: Type.Record(Type.String(), Type.String()),
  syncStatus: Type.String(),
};
