// The pages of the console that are drawn from the fabric: the map, and the paths of an identity.
// The console asks for the fabric with a double slash: `/fabric/v1//routers`.

import assert from 'node:assert/strict';
import { type FleetPlan, MapFleet } from '../../browser/map-fleet.ts';
import { management } from '../client.ts';
import { open, type Step, type Visit } from './visit.ts';

/** Routers in a ring. */
function ringOf(prefix: string, routers: number): FleetPlan {
  const nameOf = (n: number) => `${prefix}-${n % routers}`;
  const names = Array.from({ length: routers }, (_, n) => nameOf(n));
  const links = names.map((from, n) => ({
    id: `${from}.${nameOf(n + 1)}`,
    from,
    to: nameOf(n + 1),
  }));
  return { names, links, roleAttributesOf: () => [] };
}

const small = ringOf('few', 3);
/** More than a page of a list may have. */
const large = ringOf('many', 510);

/** The page of paths chooses the first service by name. */
const service = 'a service of the ring';

/** What both pages ask for. */
const lists = ['routers', 'links', 'circuits'];

/** The colour in which the page of paths draws lines that circuits use. */
const activeLine = 'line[style*="rgb(0, 205, 19)"]';

/** Both pages with few routers, and with many. */
export const fabricSteps: readonly (readonly [title: string, Step])[] = [
  ['connect routers with links, and dial over them', connectSmall],
  ['show the map of them', showMap],
  ['show the path of an identity', showPath],
  [`connect ${large.names.length} more`, connectLarge],
  ['show the map of all', showLargeMap],
  ['show the path of an identity among all', showLargePath],
];

/** The map is drawn from the fabric, and not from the edge APIs alone. */
export async function showMap(visit: Visit): Promise<void> {
  await open(visit, 'identities');
  await Promise.all([listsAsked(visit), open(visit, 'dashboard')]);
  await visit.page.locator('.router-chip .entity-count').waitFor();
}

/** Resolves when the page was answered all lists; the watch complains of refusals. */
async function listsAsked({ page }: Visit): Promise<void> {
  const isOf = (list: string) => new RegExp(`/fabric/v1//?${list}\\?`);
  await Promise.all(lists.map((list) => page.waitForResponse(isOf(list))));
}

async function connectSmall({ stage }: Visit): Promise<void> {
  const fleet = await MapFleet.connect(stage, small);
  const [host = '', , client = ''] = small.names;
  await fleet.dial(await fleet.host(service, host), client);
}

async function connectLarge({ stage }: Visit): Promise<void> {
  await MapFleet.connect(stage, large);
}

async function showLargeMap(visit: Visit): Promise<void> {
  await showMap(visit);
  const shown = await visit.page.locator('.router-chip .entity-count').textContent();
  assert.equal(shown, '500', 'routers on the map');
}

async function showPath(visit: Visit): Promise<void> {
  await openPath(visit);
  const { page } = visit;
  for (const name of small.names) {
    await page.locator('#IdentityTopology .node').filter({ hasText: name }).waitFor();
  }
  await page.locator(`#IdentityTopology ${activeLine}`).first().waitFor({ state: 'attached' });
  await page.locator('#EscZEndpointClose').click();
}

async function showLargePath(visit: Visit): Promise<void> {
  await openPath(visit);
  await visit.page.locator('#IdentityTopology .node').first().waitFor();
  await visit.page.locator('#EscZEndpointClose').click();
}

/** The menu of a row leads to it. */
async function openPath(visit: Visit): Promise<void> {
  const { page, stage } = visit;
  await open(visit, 'identities');
  const { id } = await stage.admin.ask('GET', `${management}/current-identity`);
  await page.locator(`[id="RowDots_${id}"]`).click();
  const action = page.locator('[id="TableActionButton_identity-service-path"]');
  await Promise.all([listsAsked(visit), action.click()]);
}
