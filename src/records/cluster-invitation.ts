// Invitations by which machines join a cluster (behaviour/cluster#operating).

import Type from 'typebox';
import { field, time } from '../declare/kinds/field.ts';
import { defineKind, type RecordOf } from '../declare/kinds/kind.ts';

const ours = { write: 'never', show: 'never' } as const;

/** Invitations that nobody has used so far. */
export const clusterInvitationKind = defineKind({
  kind: 'clusterInvitation',
  version: 1,
  fields: {
    /** The name of the node that is invited, for people. */
    node: field(Type.String(), { required: true, ...ours }),
    /** What `tokenHash` makes of its secret. */
    secretHash: field(Type.String(), { required: true, secret: true, ...ours }),
    expiresAt: time(ours),
    /** Wrong secrets after which it is gone. */
    triesLeft: field(Type.Integer(), { fallback: 0, ...ours }),
  },
  many: [],
  calledBy: ['node'],
});

/** An invitation. */
export type ClusterInvitationRecord = RecordOf<typeof clusterInvitationKind.fields>;
