import type { DatabaseServer } from '../database-server.js';
import { addPeople } from '../people.js';
import { send } from '../requests.js';
import { fetcherOf } from '../scenarios/schedule.js';
import { startService } from '../service.js';
import type { Peer } from './feed-reader.js';

/** The checkout in the current folder. */
export function gatefold(server: DatabaseServer): Peer {
  return {
    name: 'Gatefold',
    prepare: async () => undefined,
    async start() {
      const service = await startService(server, 'Gatefold', process.cwd(), {
        GATEFOLD_SCHEDULER: 'on',
      });
      const [caller] = await addPeople(service, 'reader', 1);
      if (caller === undefined) {
        throw new Error('No user was added.');
      }
      return Object.assign(service, fetcherOf(service), {
        about: 'Gatefold, this checkout',
        caller,
        importFeeds: (opml: string) =>
          send(caller, 'POST', '/opml/import', opml, { 'content-type': 'text/x-opml' }),
        listFeeds: (one = caller) => send(one, 'GET', '/feeds'),
        page: () => send(caller, 'GET', '/items?batchSize=200&getRead=false'),
        allUnread: (headers: Record<string, string> = {}) =>
          send(caller, 'GET', '/items?batchSize=-1&getRead=false', undefined, headers),
        changes: (one = caller) =>
          send(
            one,
            'GET',
            `/items/updated?type=3&lastModified=${Math.floor(Date.now() / 1000) + 1}`,
          ),
        mark: (places: readonly number[], read: boolean, one = caller) =>
          send(one, 'POST', `/items/${read ? 'read' : 'unread'}/multiple`, {
            itemIds: places.map((place) => place + 1),
          }),
      });
    },
  };
}
