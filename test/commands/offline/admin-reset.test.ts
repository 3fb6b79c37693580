// The command `admin reset`: what it asks for, and what it says where nothing can be done.

import t from 'tap';
import type { ProcessContext } from '../../../src/assembly/process-context.ts';
import { runCommandLine } from '../../../src/commands/command-line.ts';
import type { AdministratorReset } from '../../../src/resources/authenticators/administrator-reset.ts';
import { bootNetwork } from '../../simulated/network.ts';
import { LookingContext } from './looking.ts';

/** Runs it on a stopped home with what is typed or piped in. */
async function reset(typed: readonly string[], ...more: readonly string[]) {
  const network = await bootNetwork();
  await network.stop();
  const asked: string[] = [];
  const orders: AdministratorReset[] = [];
  const looking = new LookingContext(network.disk, {});
  const answers = [...typed];
  const context: ProcessContext = Object.assign(looking, {
    secretInput: {
      isTerminal: typed.length > 1,
      ask: async (question: string) => {
        asked.push(question);
        return answers.shift() ?? '';
      },
    },
    loadController: async () => ({
      startController: noController,
      initHome: noController,
      resetAdministratorOf: async (
        _config: unknown,
        _system: unknown,
        order: AdministratorReset,
      ) => {
        orders.push(order);
        if (order.password === 'short') return { refused: 'The password is too short.' };
        return { identityId: 'i', isDefaultAdmin: true, lines: ['It is done.'] };
      },
    }),
  });
  const home = more.includes('--home') ? [] : ['--home', '/home'];
  const code = await runCommandLine(['admin', 'reset', ...home, ...more], context);
  const { stdout, stderr } = looking;
  return { code, stdout, stderr, asked, orders };
}

function noController(): never {
  throw new Error('nothing is served');
}

t.test('typed twice, or piped once', async (t) => {
  const piped = await reset(['secret-one'], '--username', 'second', '--remove-mfa');
  t.match(piped, { code: 0, stdout: 'It is done.\n', stderr: '' });
  t.same(piped.orders, [{ username: 'second', removeMfa: true, password: 'secret-one' }]);
  const typed = await reset(['secret-one', 'secret-one']);
  t.match(typed, { code: 0, asked: ['New password: ', 'Once more: '] });
  t.same(typed.orders, [{ username: undefined, removeMfa: false, password: 'secret-one' }]);
});

t.test('what cannot be is said, with its exit code', async (t) => {
  const different = await reset(['secret-one', 'secret-two']);
  t.match(different, { code: 2, stderr: /the two are not the same/, orders: [] });
  t.match(await reset(['']), { code: 2, stderr: /No password was given/, orders: [] });
  t.match(await reset(['short']), { code: 1, stderr: /^edge-control: The password is too short/ });
  const nowhere = await reset(['secret'], '--home', '/nowhere');
  t.match(nowhere, { code: 2, stderr: /\/nowhere is no home of a controller/, asked: [] });
  const twice = await reset(['secret'], '--password', 'x');
  t.match(twice, { code: 2, stderr: /unknown option/ });
});
