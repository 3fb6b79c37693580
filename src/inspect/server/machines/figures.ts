// The figures, the processes and the log level of a running controller.

import Type from 'typebox';
import { detail, emptyReply } from '../../../declare/operations/operation.ts';
import { figuresSchema, processSchema } from '../../messages.ts';
import { type Operation, operation } from '../context.ts';

const level = () => Type.Enum(['debug', 'info', 'warn', 'error']);

/** `/inspect/figures`, `/inspect/processes` and `/inspect/log-level`. */
export const figuresOperations: readonly Operation[] = [
  operation({
    id: 'getControllerFigures',
    path: '/inspect/figures',
    answered: 'leader',
    permission: 'admin_readonly',
    summary: 'How the controller is doing; rates over the last second, 0 when asked anew',
    answer: figuresSchema,
    errors: [401],
    decide: ({ env }) => detail([JSON.stringify(env.observation.figures())]),
  }),
  operation({
    id: 'listControllerProcesses',
    path: '/inspect/processes',
    answered: 'leader',
    permission: 'admin_readonly',
    summary: 'What lives beside the requests: log writer, snapshotter, listeners',
    answer: Type.Array(processSchema),
    errors: [401],
    decide: ({ env }) => detail([JSON.stringify(env.observation.processes())]),
  }),
  // A change of the level lasts as long as the process; the setting `log.level` does not change.
  operation({
    id: 'getLogLevel',
    path: '/inspect/log-level',
    answered: 'leader',
    permission: 'admin_readonly',
    summary: 'The least level that is logged at present',
    answer: Type.Object({ level: level() }),
    errors: [401],
    decide: ({ env }) => detail([JSON.stringify({ level: env.observation.logLevel })]),
  }),
  operation({
    id: 'setLogLevel',
    method: 'PUT',
    path: '/inspect/log-level',
    answered: 'leader',
    permission: 'admin',
    summary: 'Change the least level that is logged, until the next start',
    body: Type.Object({ level: level() }),
    errors: [400, 401],
    writes: false,
    decide({ env, body, caller }) {
      env.observation.setLogLevel(body.level, caller.identity.id);
      return emptyReply;
    },
  }),
];
