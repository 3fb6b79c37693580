// The unit of examples/systemd: valid, hardened like that of a cluster's node, and true to the
// controller.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { t } from 'tap';
import { exitCodes } from '../../src/commands/exit-codes.ts';
import { defaultLimits } from '../../src/settings/limits.ts';
import { evaluateUnit, withoutSystemd } from '../system/systemd-units.ts';

const examples = join(import.meta.dirname, '../../examples');
const unit = readFileSync(join(examples, 'systemd/edge-control.service'), 'utf8');

t.test('the unit is valid and hardened', { skip: withoutSystemd() }, async (t) => {
  t.equal(evaluateUnit(t.testdir({}), 'edge-control.service', unit), '');
});

t.test('the unit is hardened like that of a node of a cluster', async (t) => {
  const node = readFileSync(join(examples, 'cluster/edge-control.service'), 'utf8');
  const hardening = (text: string) => text.slice(text.indexOf('# Nothing of the machine'));
  t.ok(hardening(unit).includes('NoNewPrivileges=yes'));
  t.equal(hardening(unit), hardening(node));
});

t.test('a stop has the time it may take, and a refused start is not repeated', async (t) => {
  const numberAt = (key: string) => Number(new RegExp(`^${key}=(.*)$`, 'm').exec(unit)?.[1]);
  t.ok(numberAt('TimeoutStopSec') * 1000 > defaultLimits.drainTimeoutMs);
  t.equal(numberAt('RestartPreventExitStatus'), exitCodes.notStarted);
});
