// All flows, in their order.

import type { Flow } from '../flow.ts';
import { appearanceFlows } from './appearance.ts';
import { browsingFlows } from './browsing.ts';
import { enrollmentFlow } from './enrollment.ts';
import { keyboardFlow } from './keyboard.ts';
import { logInFlows } from './log-in.ts';
import { mapFlows } from './map.ts';
import { mapFigures } from './map-figures.ts';
import { nightFlows } from './night.ts';
import { oidcFlows } from './oidc.ts';
import { processFlows } from './processes.ts';
import { sessionFlows } from './session.ts';
import { streamFlows } from './stream.ts';

/** From the door to the pictures. */
export const flows: readonly Flow[] = [
  ...logInFlows,
  ...oidcFlows,
  ...browsingFlows,
  ...sessionFlows,
  enrollmentFlow,
  ...processFlows,
  ...streamFlows,
  ...mapFlows,
  mapFigures,
  ...nightFlows,
  keyboardFlow,
  ...appearanceFlows,
];
