// Runs what the image of the Dockerfile would run: `node test/packaging/run.ts`. Exit code 0: all is
// well; 1: it is not; 75: this machine has no namespaces, or the registry did not serve.

import { runStep } from '../system/endings.ts';
import { imageRuns } from './image.ts';

await runStep(imageRuns);
