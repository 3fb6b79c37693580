// The nodes of the peer's cluster, whose addresses devices and routers know.

import type { PeerNetwork } from './peer/entity.ts';

/** A controller of the network. */
export interface PeerNode {
  readonly id: string;
  readonly name: string;
  /** Where routers reach it, such as `tls:ctrl-2.example.com:1280`; empty if it is not known. */
  readonly address: string;
}

/** Nodes that are named; clusters of the peer have three to seven. @bound */
const nodesMax = 100;

/** The controllers in the database, in the order of their ids. */
export function nodesOf(network: PeerNetwork): PeerNode[] {
  const nodes: PeerNode[] = [];
  for (const entity of network.entities('controllers')) {
    if (nodes.length === nodesMax) break;
    const [name, address] = ['name', 'ctrlAddress'].map((field) => entity.text(field) ?? '');
    nodes.push({ id: entity.id, name: name ?? '', address: address ?? '' });
  }
  return nodes;
}
