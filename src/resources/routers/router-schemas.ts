// Schemas of edge routers as clients see them, in sessions and in clients' lists.

import Type from 'typebox';

/** Schemas of the fields that an edge router shows to clients, without Base. */
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
