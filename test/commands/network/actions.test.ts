// `re-enroll` and `log-level`, and links and circuits that nothing carries.

import { t } from 'tap';
import { Openssl } from '../../simulated/openssl.ts';
import { connect } from '../../system/client.ts';
import { believe } from '../../system/jwt-holder.ts';
import { roomOf } from '../../system/process.ts';
import { stage } from './person.ts';

const { serving, run } = await stage(t);

t.test('who has a certificate enrolls again, by its own name', async (t) => {
  const created = await run('create', 'identity', 'guest', '--enroll', '-o', 'id');
  const [id = '', jwt = ''] = created.out.split('\n');
  t.match(await run('re-enroll', 'identity', 'guest'), {
    code: 1,
    out: '',
    err: /"guest" has no certificate\. To let it enroll: edge-control enroll "guest"/,
  });
  const { token } = await believe(jwt);
  const { pem: clientCsr } = new Openssl(roomOf(t)).request({ subject: `/CN=${id}` });
  await connect(t, serving).call('POST', `/edge/client/v1/enroll?method=ott&token=${token}`, {
    body: { clientCsr },
  });
  t.match(await run('re-enroll', 'identity', 'guest'), {
    code: 0,
    out: /^eyJ\S+\n$/,
    err: /^controller: .*\ngood until /,
  });
  t.match(await run('list', 'authenticators'), { code: 0, out: /^((?!guest).)*$/s });
  t.match(await run('list', 'enrollments'), { out: /^guest +ott +/m });
  t.match(await run('re-enroll', 'authenticator', 'guest'), { code: 4 });
  t.match(await run('re-enroll', 'svc', 'x'), {
    code: 2,
    out: '',
    err: /re-enroll does not exist for services: edge-router, identity, authenticator do/,
  });
  t.match(await run('re-enroll', 'guest'), { code: 2, err: /missing required argument 'name'/ });
});

t.test('the level of the log is shown and changed', async (t) => {
  t.match(await run('log-level'), { code: 0, out: 'info\n', err: '' });
  t.match(await run('log-level', 'debug'), {
    code: 0,
    out: 'the controller logs debug and above until its next start\n',
    err: /^controller: /,
  });
  t.match(await run('log-level'), { code: 0, out: 'debug\n' });
  t.match(await run('log-level', 'loud'), {
    code: 2,
    out: '',
    err: 'edge-control: the level is "loud" but must be one of debug, info, warn, error.\n',
  });
});

t.test('links are changed and circuits are ended, if there are any', async (t) => {
  const link = ['update', 'link', 'gone', '--static-cost', '5', '--down'];
  t.match(await run(...link), { code: 4, err: /there is no link "gone"/ });
  t.match(await run('delete', 'circuit', 'gone', '--yes'), {
    code: 4,
    err: /there is no circuit "gone"/,
  });
  t.match(await run('update', 'link', 'x', '--cost', '5'), { code: 2, err: /has no field "cost"/ });
});
