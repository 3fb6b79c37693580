// Guessing across restarts and takeovers: neither gives a guess more (behaviour/mfa#guessing,
// behaviour/login#lockout).

import t from 'tap';
import { wrongPasswordsKind } from '../../../src/records/wrong-passwords.ts';
import { appCode } from '../../simulated/authenticator-app.ts';
import { bootNetwork, type Network } from '../../simulated/network.ts';
import { bootStandbyNetwork } from '../../simulated/standby-network.ts';

const own = 'C:/current-identity/mfa';
const outcome = ({ status, code }: { status: number; code: string | undefined }) =>
  code === undefined ? String(status) : `${status} ${code}`;

/** What ends a process between two guesses. */
const ends: Readonly<Record<string, [boot: () => Promise<Network>, end: 'restart' | 'crash']>> = {
  'a restart': [bootNetwork, 'restart'],
  'a crash': [bootNetwork, 'crash'],
  'a takeover': [bootStandbyNetwork, 'crash'],
};

for (const [name, [boot, end]] of Object.entries(ends)) {
  t.test(`MFA codes: ${name} forgets neither guesses nor bars nor used codes`, async (t) => {
    const network = await boot();
    await network.createUser('alice', 'alice-password');
    const session = await network.login('alice', 'alice-password');
    await network.must('POST', own, undefined, session);
    const { provisioningUrl } = await network.must<{ provisioningUrl: string }>(
      ...(['GET', own, undefined, session] as const),
    );
    const code = () => appCode(provisioningUrl, network.clock.now(), 0);
    await network.must('POST', `${own}/verify`, { code: code() }, session);
    const give = async (value: string) =>
      outcome(
        await network.call('POST', 'C:/authenticate/mfa', {
          token: session,
          body: { code: value },
        }),
      );
    const wrong = async (count: number) => {
      for (let n = 0; n < count; n++) t.equal(await give('000000'), '401 MFA_INVALID_TOKEN');
    };
    await wrong(5);
    await network[end]();
    await wrong(5);
    t.equal(await give(code()), '429 RATE_LIMITED', 'ten in all');
    await network[end]();
    t.equal(await give(code()), '429 RATE_LIMITED', 'the bar stands');
    await network.advance(60_000);
    await wrong(10);
    await network[end]();
    await network.advance(119_000);
    t.equal(await give(code()), '429 RATE_LIMITED', 'each bar is twice as long');
    await network.advance(1000);
    const used = code();
    t.equal(await give(used), '200');
    await network[end]();
    t.equal(await give(used), '401 MFA_INVALID_TOKEN', 'a used code');
    await wrong(9);
    await network.advance(30_000);
    t.equal(await give(code()), '200', 'a right code has cleared the count');
    await network.stop();
  });

  t.test(`passwords: ${name} forgets no guess`, async (t) => {
    const network = await boot();
    await network.createUser('alice', 'alice-password');
    const primary = { updb: { maxAttempts: 4, lockoutDurationMinutes: 10 } };
    await network.must('PATCH', 'M:/auth-policies/default', { primary });
    const log = async (password: string) => {
      const body = { username: 'alice', password };
      const request = { body, token: null };
      return outcome(await network.call('POST', 'C:/authenticate?method=password', request));
    };
    const counts = () => network.env.store.table(wrongPasswordsKind).size;
    t.equal(await log('alice-password'), '200');
    t.equal(counts(), 0, 'a login that is right from the start costs nothing');
    for (let n = 0; n < 2; n++) t.equal(await log('wrong-password'), '401 INVALID_AUTH');
    await network[end]();
    t.equal(counts(), 1);
    t.equal(await log('alice-password'), '200', 'it is not locked yet');
    t.equal(counts(), 0);
    for (let n = 0; n < 3; n++) t.equal(await log('wrong-password'), '401 INVALID_AUTH');
    await network[end]();
    t.equal(await log('wrong-password'), '401 INVALID_AUTH');
    t.equal(await log('alice-password'), '401 INVALID_AUTH', 'four in a row');
    await network[end]();
    t.equal(await log('alice-password'), '401 INVALID_AUTH');
    await network.advance(600_000);
    t.equal(await log('alice-password'), '200');
    await network.stop();
  });
}
