// The list of revocations of OIDC tokens. No tokens of OIDC are issued yet, so there are none; the
// list is there for tools that read every list.

import Type from 'typebox';
import { baseProperties } from '../../declare/resources/answers.ts';
import { valueListReply } from '../../declare/resources/value-list.ts';
import type { FilterSymbol, Scope } from '../../filter/scope.ts';
import { operation } from '../context.ts';

const revocationSchema = Type.Object(
  {
    ...baseProperties,
    expiresAt: Type.String({ format: 'date-time' }),
    type: Type.Enum(['JTI', 'IDENTITY', 'API_SESSION']),
  },
  { title: 'revocationDetail' },
);

const none = () => undefined;

const symbols: Readonly<Record<string, FilterSymbol<never, undefined>>> = {
  id: { form: 'scalar', type: 'string', read: none },
  createdAt: { form: 'scalar', type: 'datetime', read: none },
  updatedAt: { form: 'scalar', type: 'datetime', read: none },
  tags: { form: 'map', read: none },
  isSystem: { form: 'scalar', type: 'boolean', read: none },
  expiresAt: { form: 'scalar', type: 'datetime', read: none },
  issuedBefore: { form: 'scalar', type: 'datetime', read: none },
  type: { form: 'scalar', type: 'string', read: none },
};

const scope: Scope<never, undefined> = {
  symbol: (name) => symbols[name.startsWith('tags.') ? 'tags' : name],
  linked: none,
};

const filterableFields = Object.keys(symbols);

/** `/revocations` */
export const revocations = operation({
  id: 'listRevocations',
  path: '/revocations',
  permission: 'admin_readonly',
  summary: 'List the revocations of OIDC tokens: none, as long as none are issued',
  answer: Type.Array(revocationSchema),
  isList: true,
  errors: [400, 401, 429],
  decide: (context) =>
    valueListReply<never>(context, { things: [], scope, filterableFields, text: () => '' }),
});
