// The framing table against listeners in this process.

import t from 'tap';
import { attackFraming } from '../system/hostile/framing.ts';
import { framingTable } from '../system/hostile/framing-table.ts';
import { roomOf } from '../system/process.ts';
import { direct, echo, run } from './harness.ts';

t.test('each case of the framing table ends as it says, on both listeners', async (t) => {
  const running = await run({ directory: roomOf(t), front: { silentTimeoutMs: 300 } });
  t.teardown(() => running.stop());
  const other = await direct(t, echo, 0, running.certificate);
  const { sent, failures } = await attackFraming({
    tls: `https://127.0.0.1:${running.front.port}`,
    direct: `https://127.0.0.1:${other.server.port}`,
    ca: running.certificate.certificate,
  });
  t.equal(sent, 2 * framingTable.length);
  t.ok(framingTable.length >= 60);
  t.strictSame(failures, []);
});
