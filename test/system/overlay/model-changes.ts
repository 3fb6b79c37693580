// Changes of the network that routers which know its model have to follow.

import { type Api, type Json, management } from '../client.ts';

/** What a router is told to have, and the times at which it was told everything. */
const fullStateLine = 'received full router data model state';

/** How often a router has taken the whole model, as its log says. */
export function fullStatesIn(log: string): number {
  return log.split(fullStateLine).length - 1;
}

/** Makes so many changes of all sorts, of which most concern a router of the attribute `near`. */
export async function changeNetwork(admin: Api, changes: number): Promise<void> {
  const made = new Map<string, string[]>();
  const create = async (plural: string, body: Json) => {
    const id = await admin.create(plural, body);
    made.set(plural, [...(made.get(plural) ?? []), id]);
  };
  const attributes = (at: number) => (at % 3 === 0 ? ['near'] : at % 3 === 1 ? ['far'] : []);
  const semantic = 'AnyOf';
  for (let at = 0; at < changes; at++) {
    const name = `model ${at}`;
    const roleAttributes = [`m${at % 7}`, ...attributes(at)];
    const id = (plural: string) => {
      const ids = made.get(plural) ?? [];
      return ids[at % ids.length] ?? '';
    };
    switch (at % 10) {
      case 0:
        await create('identities', { name, type: 'Default', isAdmin: false, roleAttributes });
        break;
      case 1:
        await create('services', { name, encryptionRequired: true, roleAttributes });
        break;
      case 2:
        await create('service-policies', {
          name,
          type: at % 20 === 2 ? 'Dial' : 'Bind',
          semantic,
          identityRoles: [`#m${at % 7}`],
          serviceRoles: [`#m${(at + 1) % 7}`],
          postureCheckRoles: at % 30 === 2 ? ['#model'] : [],
        });
        break;
      case 3:
        await create('config-types', { name, schema: {} });
        break;
      case 4:
        await create('configs', { name, configTypeId: id('config-types'), data: { at } });
        break;
      case 5:
        await admin.ask('PATCH', `${management}/identities/${id('identities')}`, {
          roleAttributes,
          appData: { at },
        });
        break;
      case 6:
        await admin.ask('PATCH', `${management}/services/${id('services')}`, {
          roleAttributes,
          configs: [id('configs')],
        });
        break;
      case 7:
        await admin.ask('PATCH', `${management}/service-policies/${id('service-policies')}`, {
          identityRoles: [`#m${at % 5}`, '#near'],
        });
        break;
      case 8:
        await create('posture-checks', { name, ...checkOf(at), roleAttributes: ['model'] });
        break;
      default:
        await deleteOne(admin, made, at % 20 === 9 ? 'identities' : 'service-policies');
    }
  }
}

async function deleteOne(admin: Api, made: Map<string, string[]>, plural: string): Promise<void> {
  const ids = made.get(plural) ?? [];
  const id = ids.length > 8 ? ids.shift() : undefined;
  if (id !== undefined) await admin.ask('DELETE', `${management}/${plural}/${id}`);
}

/** A check of each type in turn, none of which a test's client fails. */
function checkOf(at: number): Json {
  const processes = [{ osType: 'Windows', path: 'C:\\x.exe', hashes: ['ABCD'] }];
  const checks: Json[] = [
    { typeId: 'OS', operatingSystems: [{ type: 'Linux', versions: [] }] },
    { typeId: 'MAC', macAddresses: ['00:11:22:33:44:55'] },
    { typeId: 'DOMAIN', domains: ['a.example'] },
    { typeId: 'MFA', timeoutSeconds: -1, promptOnWake: true },
    { typeId: 'PROCESS', process: { ...processes[0], signerFingerprint: '00FF' } },
    { typeId: 'PROCESS_MULTI', semantic: 'AnyOf', processes },
  ];
  return checks[Math.floor(at / 10) % checks.length] ?? {};
}
