// Compares the homes of all nodes, which have to hold the same records byte for byte.

import { checkDeadHome } from '../dead-home.ts';
import { digestOfHome, type RecordDigest } from '../record-digest.ts';
import { type CampaignNodes, indexes } from './nodes.ts';

/** A stop of a node may write something that another one has no time to follow. */
const triesMax = 3;

/**
 * Stops all nodes cleanly, the leader last, compares their homes, and starts them again.
 * @throws Error if they differ
 */
export async function compareHomes(nodes: CampaignNodes): Promise<RecordDigest> {
  for (let tried = 1; ; tried += 1) {
    await nodes.well();
    await stopAll(nodes);
    const digests = indexes.map((index) => digestOfHome(nodes.cluster.home(index)));
    for (const index of indexes) checkDeadHome(nodes.cluster.home(index));
    await Promise.all(indexes.map((index) => nodes.back(index)));
    await nodes.well();
    const [first] = digests;
    const isAlike = digests.every(({ lsn }) => lsn === first?.lsn);
    if (first !== undefined && isAlike) {
      if (digests.every(({ digest }) => digest === first.digest)) return first;
      throw new Error(`the homes differ: ${JSON.stringify(digests)}`);
    }
    // They end at different places of the same log: nothing can be said.
    if (tried === triesMax) throw new Error(`the homes end apart: ${JSON.stringify(digests)}`);
  }
}

async function stopAll(nodes: CampaignNodes): Promise<void> {
  const leader = await nodes.leader();
  const followers = indexes.filter((index) => index !== leader);
  for (const index of [...followers, leader]) {
    const { code, signal, stderr } = await nodes.stop(index);
    if (code === 0) continue;
    throw new Error(`node ${index} was stopped, and ended with ${signal ?? code}: ${stderr}`);
  }
}
