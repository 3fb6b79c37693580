// Every operation of the management and fabric APIs has a command, or a reason why it has none.

import { t } from 'tap';
import { operations } from '../../../src/assembly/operations.ts';
import {
  type OperationKey,
  operationsWithoutCommand,
} from '../../../src/commands/network/kinds/operations.ts';
import { operationCommands } from './operation-commands.ts';

const declared = operations.flatMap(({ method, apis, path }) =>
  apis
    .filter((api) => api === 'management' || api === 'fabric')
    .map((api): OperationKey => `${method} ${api} ${path}`),
);
const excepted = operationsWithoutCommand.flatMap(([, keys]) => keys);

t.test('an operation has a command, or a reason', async (t) => {
  const known = new Set<string>([...operationCommands.keys(), ...excepted]);
  t.strictSame(
    declared.filter((key) => !known.has(key)),
    [],
    'give these a command (operation-commands.ts), or a reason in src/commands/network/kinds/operations.ts',
  );
});

t.test('nothing in the table is gone, stands twice, or has both', async (t) => {
  const all = [...operationCommands.keys(), ...excepted];
  const [here, seen] = [new Set<string>(declared), new Set<string>()];
  t.strictSame(
    all.filter((key) => !here.has(key)),
    [],
    'no such operation',
  );
  t.strictSame(
    all.filter((key) => seen.size === seen.add(key).size),
    [],
    'twice',
  );
  for (const [reason] of operationsWithoutCommand) t.match(reason, /^[A-Z].*\.$/);
});
