// Starts what is packed and what the image would run: `node test/packaging/run.ts`. Exit code 0:
// all is well; 1: it is not; 75: this machine has no namespaces, or the registry did not serve.

import { runStep } from '../system/endings.ts';
import { imageRuns } from './image.ts';
import { installedRuns } from './installed.ts';
import { needNamespaces } from './isolated.ts';

await runStep(async (endings) => {
  needNamespaces();
  const isImageWell = await imageRuns(endings);
  return (await installedRuns(endings)) && isImageWell;
});
