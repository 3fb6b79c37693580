// How far a router knows the model of the network, and whether it knows it right
// (behaviour/control-channel#router-data-model).

import Type from 'typebox';
import { detail } from '../../declare/operations/operation.ts';
import { rowOf } from '../../declare/resources/crud.ts';
import { isoTime } from '../../declare/resources/view.ts';
import { ApiError, notFound } from '../../errors/errors.ts';
import { routerKind } from '../../records/router.ts';
import {
  differenceText,
  type ModelCheck,
  type ModelCheckRefusal,
} from '../../routers/model/model-port.ts';
import { type Operation, operation } from '../context.ts';
import { edgeRouters } from './edge-router.ts';

const nothing = Type.Null();
const counts = Type.Record(Type.String(), Type.Integer({ minimum: 0 }));

/** How long a router may take, less than a request may (behaviour/requests#time-limit). */
const checkMs = 8_000;

/** The operations on the model of one edge router. */
export const routerModelOperations: readonly Operation[] = [
  operation({
    id: 'detailEdgeRouterModel',
    apis: ['management'],
    path: '/edge-routers/{id}/model',
    answered: 'leader',
    permission: 'admin',
    summary: 'Show how far an edge router knows the model of the network',
    answer: Type.Object(
      {
        isSubscribed: Type.Boolean(),
        index: Type.Integer({ minimum: 0 }),
        currentIndex: Type.Integer({ minimum: 0 }),
        timeline: Type.String(),
        lag: Type.Union([Type.Integer({ minimum: 0 }), nothing]),
        lastFullState: Type.Union([
          Type.Object({ at: Type.String({ format: 'date-time' }), reason: Type.String() }),
          nothing,
        ]),
      },
      { title: 'edgeRouterModel' },
    ),
    errors: [401, 404, 429],
    decide(context) {
      const { id } = rowOf(context, edgeRouters).record;
      const { routerModels } = context.env;
      const { index: currentIndex = 0, timelineId: timeline = '' } = routerModels.figures ?? {};
      const standing = routerModels.standingOf(id);
      const { index = 0, lag = null, lastFull } = standing ?? {};
      const lastFullState =
        lastFull === undefined ? null : { at: isoTime(lastFull.atMs), reason: lastFull.reason };
      const isSubscribed = standing !== undefined;
      const shown = { isSubscribed, index, currentIndex, timeline, lag, lastFullState };
      return detail([JSON.stringify(shown)]);
    },
  }),
  operation({
    id: 'checkEdgeRouterModel',
    apis: ['management'],
    method: 'POST',
    path: '/edge-routers/{id}/model/check',
    answered: 'leader',
    permission: 'admin',
    summary: 'Ask an edge router how its model of the network differs from that of the controller',
    answer: Type.Object(
      {
        isSame: Type.Boolean(),
        routerCounts: counts,
        controllerCounts: counts,
        differences: Type.Array(Type.String()),
      },
      { title: 'edgeRouterModelCheck' },
    ),
    errors: [400, 401, 404, 429, 503],
    writes: false,
    async prepare({ env, params }) {
      const id = params['id'] ?? '';
      if (!env.store.table(routerKind).find(id)?.record.isEdge) throw notFound('router', id);
      const checked = await env.routerModels.check(id, checkMs);
      if (typeof checked === 'string') throw refusalOf(checked);
      return checked;
    },
    decide: (_context, { has, needs, differences }: ModelCheck) => {
      const isSame = differences.length === 0;
      return detail([
        JSON.stringify({
          isSame,
          routerCounts: has,
          controllerCounts: needs,
          differences: differences.map(differenceText),
        }),
      ]);
    },
  }),
];

function refusalOf(refusal: ModelCheckRefusal): ApiError {
  switch (refusal) {
    case 'tooOften':
      return new ApiError('RATE_LIMITED');
    case 'noAnswer':
      return new ApiError('TIMEOUT');
    case 'notSubscribed':
      return invalid('the router is not connected, or has not asked for the model');
    case 'tooLarge':
      return invalid('the model is too large to be sent: see limits.routerModelBytesMax');
  }
}

function invalid(message: string): ApiError {
  return new ApiError('COULD_NOT_VALIDATE', { message });
}
