// Diagrams: one line per branch, including refusals.

import t from 'tap';
import { toMermaid } from '../../.ci/generate/mermaid.ts';
import { authenticator } from '../../machines/authenticator.ts';
import { ca } from '../../machines/ca.ts';
import { machines } from '../../machines/index.ts';

t.test('a flat machine', async (t) => {
  t.same(toMermaid(ca).split('\n'), [
    'stateDiagram-v2',
    '  [*] --> none',
    '  none --> unverified: create',
    '  unverified --> unverified: verify [unreadable as COULD_NOT_PARSE_BODY] / refused COULD_NOT_PARSE_BODY',
    '  unverified --> unverified: verify [unreadable as EXPECTED_PEM_CERTIFICATE] / refused EXPECTED_PEM_CERTIFICATE',
    '  unverified --> unverified: verify [unreadable as COULD_NOT_PARSE_DER_BLOCK] / refused COULD_NOT_PARSE_DER_BLOCK',
    '  unverified --> unverified: verify [otherName] / refused INVALID_COMMON_NAME',
    '  unverified --> verified: verify [signedByCa]',
    '  unverified --> unverified: verify / refused CERTIFICATE_FAILED_VALIDATION',
    '  unverified --> removed: remove',
    '  verified --> verified: verify / refused CA_ALREADY_VERIFIED',
    '  verified --> removed: remove',
    '  removed --> [*]',
    '',
  ]);
});

t.test('parallel regions are drawn apart, their states named apart', async (t) => {
  const lines = toMermaid(authenticator).split('\n');
  t.equal(lines[1], '  state authenticator {');
  t.ok(lines.includes('    --'));
  t.ok(lines.includes('    life_existing --> life_removed: revert / createEnrollment'));
  t.ok(lines.includes('    certificate_existing') === false);
});

t.test('every machine can be drawn', async (t) => {
  for (const machine of machines)
    t.match(toMermaid(machine), /^stateDiagram-v2\n/, machine.machine.id);
});
