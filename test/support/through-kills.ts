import { randomBytes } from 'node:crypto';
import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { startDatabaseServer } from '../../tools/bench/database-server.js';
import { addPeople } from '../../tools/bench/people.js';
import { aServiceProcess, type ServiceProcess } from './a-service-process.js';
import { ApiClient } from './api-client.js';
import { startFeedServer, type FeedServer } from './feed-server.js';
import { freePort } from './free-port.js';
import { Random } from './histories/random.js';
import { NewsClient } from './news-client.js';

const ADMIN = { userId: 'admin', password: 'admin of the kills' };

/** A service whose process is killed now and then; its address stays. */
export interface KilledService {
  /** Rounds and seed of the command line. */
  readonly rounds: number;
  readonly seed: number;
  readonly random: Random;
  readonly publisher: FeedServer;
  query<Row>(sql: string, params?: readonly unknown[]): Promise<Row[]>;
  asAdmin(): ApiClient;
  /** Clients of new users. */
  readers(count: number): Promise<readonly Reader[]>;
  /** Makes every source due. */
  makeDue(): Promise<void>;
  /** Kills the process at a random moment, and starts another. */
  kill(withinMs: number): Promise<void>;
}

interface Reader {
  readonly userId: string;
  readonly news: NewsClient;
}

/**
 * Carries out a script `[rounds] [seed]` on a database of its own, and prints what it found.
 *
 * @param rounds unless the command line says how many
 * @param preload of the service, see `aServiceProcess`
 */
export async function throughKills(
  rounds: number,
  work: (service: KilledService) => Promise<string>,
  settings: Readonly<Record<string, string>> = {},
  preload: readonly string[] = [],
): Promise<void> {
  const seed = Number(process.argv[3] ?? 1);
  const random = new Random(seed);
  const server = await startDatabaseServer(undefined);
  const name = `gatefold_kills_${randomBytes(6).toString('hex')}`;
  await server.query(`create database "${name}"`);
  const database = new Client({ connectionString: server.urlOf(name) });
  const publisher = await startFeedServer();
  const ownSettings = {
    GATEFOLD_PORT: String(await freePort()),
    GATEFOLD_ADMIN_USER: ADMIN.userId,
    GATEFOLD_ADMIN_PASSWORD: ADMIN.password,
    ...settings,
  };
  const start = () => aServiceProcess(server.urlOf(name), ownSettings, preload);
  const query = async <Row>(sql: string, params: readonly unknown[] = []) =>
    (await database.query(sql, [...params])).rows as Row[];
  let service: ServiceProcess | undefined;
  try {
    service = await start();
    const { url } = service;
    await database.connect();
    const found = await work({
      rounds: Number(process.argv[2] ?? rounds),
      seed,
      random,
      publisher,
      query,
      asAdmin: () => new ApiClient(url, ADMIN),
      readers: async (count) => {
        const people = await addPeople({ query, api: url, agent: new Agent() }, 'reader-', count);
        return people.map(({ userId, token }) => {
          const credentials = { userId, password: token };
          return { userId, news: new NewsClient({ baseUrl: url, credentials }, 'v1-3') };
        });
      },
      makeDue: async () => {
        await query('update source_schedule set due_at = now(), lease_token = null');
      },
      kill: async (withinMs) => {
        await pause(random.below(withinMs));
        await service?.kill();
        service = await start();
      },
    });
    process.stdout.write(`${found} (seed ${seed})\n`);
  } finally {
    await service?.kill();
    await database.end();
    await publisher.close();
    await server.query(`drop database if exists "${name}" with (force)`);
    await server.stop();
  }
}
