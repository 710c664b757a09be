import type { DatabaseServer } from '../database-server.js';
import { print } from '../report.js';
import type { Peer } from './feed-reader.js';
import { gatefold } from './gatefold.js';
import { miniflux } from './miniflux.js';

/** Gatefold, and the others that can be started here; says which cannot. */
export async function availablePeers(server: DatabaseServer): Promise<Peer[]> {
  const found: Peer[] = [];
  for (const peer of [gatefold(server), miniflux(server)]) {
    const reason = await peer.prepare();
    if (reason === undefined) {
      found.push(peer);
    } else {
      print(`SKIPPED ${peer.name}: ${reason}`);
    }
  }
  return found;
}
