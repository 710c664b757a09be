import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { DatabaseServer } from '../database-server.js';
import { addPeople } from '../people.js';
import { json, send } from '../requests.js';
import { fetcherOf } from '../scenarios/schedule.js';
import { insertItems } from '../seed-items.js';
import { subscribeAll } from '../seed-readers.js';
import { startService } from '../service.js';
import { LARGEST_PAGE, type Account, type Library, type Peer } from './feed-reader.js';

const LARGEST_ANSWER_BYTES = 2 ** 26;

/** The checkout in the current folder. */
export function gatefold(server: DatabaseServer): Peer {
  return {
    name: 'Gatefold',
    prepare: async () => undefined,
    async start() {
      const service = await startService(server, 'Gatefold', process.cwd(), {
        GATEFOLD_SCHEDULER: 'on',
      });
      const [person] = await addPeople(service, 'reader', 1);
      if (person === undefined) {
        throw new Error('No user was added.');
      }
      const caller: Account = { ...person, firstItemId: 1 };
      const run = (...words: readonly string[]) =>
        promisify(execFile)(process.execPath, [path.resolve('bin/gatefold.mjs'), ...words], {
          env: service.env,
          maxBuffer: LARGEST_ANSWER_BYTES,
        });
      return Object.assign(service, fetcherOf(service), {
        about: 'Gatefold, this checkout',
        caller,
        importFeeds: (opml: string) =>
          send(caller, 'POST', '/opml/import', opml, { 'content-type': 'text/x-opml' }),
        listFeeds: (one = caller) => send(one, 'GET', '/feeds'),
        page: () => send(caller, 'GET', '/items?batchSize=200&getRead=false'),
        async allUnread(headers: Record<string, string> = {}) {
          const one = { ...caller, credentials: { ...caller.credentials, ...headers } };
          for (let count = 0, offset = 0; ;) {
            const address = `/items?batchSize=${LARGEST_PAGE}&getRead=false&offset=${offset}`;
            const { items } = await json<{ items: { id: number }[] }>(one, address);
            count += items.length;
            offset = items.at(-1)?.id ?? 0;
            if (items.length < LARGEST_PAGE) {
              return count;
            }
          }
        },
        runCommand: () => run('user:list'),
        runExport: () => run('news:opml:export', person.userId),
        changes: (one = caller) =>
          send(
            one,
            'GET',
            `/items/updated?type=3&lastModified=${Math.floor(Date.now() / 1000) + 1}`,
          ),
        mark: (places: readonly number[], read: boolean, one = caller) =>
          send(one, 'POST', `/items/${read ? 'read' : 'unread'}/multiple`, {
            itemIds: places.map((place) => one.firstItemId + place),
          }),
        async fill({ accounts, feeds, itemsPerFeed, oneOf = 1 }: Library) {
          await insertItems(service.query, person.userId, feeds, itemsPerFeed);
          const others = await addPeople(service, 'other', accounts - 1);
          await subscribeAll(service, 'other', accounts - 1, `(source.id + n) % ${oneOf} = 0`);
          const filled: Account[] = [];
          for (const one of [caller, ...others]) {
            const first = '/items?batchSize=1&oldestFirst=true&getRead=true';
            const { items } = await json<{ items: { id: number }[] }>(one, first);
            filled.push({ ...one, firstItemId: items[0]?.id ?? 0 });
          }
          await service.query('vacuum analyze');
          return filled;
        },
      });
    },
  };
}
