// Holds the Python package `openziti`, which is the native C SDK, against a controller of its own:
// `node test/system/openziti-python/run.ts`. Exit code 75: no Python to run it, or PyPI did not
// give it.

import { join } from 'node:path';
import { runStep } from '../endings.ts';
import { pythonEnvironment } from '../python-environment.ts';
import { befriend } from '../stranger.ts';

await runStep(async (endings) => {
  const here = import.meta.dirname;
  const bin = pythonEnvironment('openziti-python', join(here, 'requirements.txt'));
  const command = [join(bin, 'python'), '-B', join(here, 'client.py')] as const;
  return await befriend(endings, {
    command,
    types: ['Dial', 'Bind'],
    // Its C SDK 0.29.3 takes signatures of EC keys for DER, which those of JWTs are not.
    config: { pki: { keyType: 'rsa-2048' } },
  });
});
