// The end of a process that may not go on as what it is, although nothing is wrong with it.

/** The process ends, and its supervisor starts it again as a follower. */
export class NodeEnded extends Error {
  override readonly name = 'NodeEnded';
}
