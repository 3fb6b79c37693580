// Holds the Go SDK and the generated clients of edge-api against a controller of its own:
// `node test/system/openziti-go/run.ts`. Exit code 75: no Go to build it with, or the module proxy
// did not give the modules.

import { runStep } from '../endings.ts';
import { befriend } from '../stranger.ts';
import { buildGo } from './build.ts';

await runStep(
  async (endings) => await befriend(endings, { command: [buildGo('.')], types: ['Dial'] }),
);
