import type { Pool, PoolClient } from 'pg';
import { DomainError } from '../common/errors/domain-error.js';
import { FairTurns, type EndTurn } from '../common/fair-turns.js';
import { currentSender } from './statement-limits.js';

/** Of the connections, of one sender of requests. */
const SHARE = 1 / 3;
const LEAST_SHARE = 2;

const MOST_WAITING = { waiting: 2000, waitingOfOwner: 500 };

/** The sender's other requests use all of its connections. */
class ConnectionShareUsed extends DomainError {
  readonly kind = 'too-many';
  override readonly retryAfterSeconds = 5;

  constructor() {
    super('Your other requests keep the database busy; wait until one has finished.');
  }
}

type WithClient = (
  error: Error | undefined,
  client: PoolClient | undefined,
  release: PoolClient['release'],
) => void;

/**
 * Lets each sender of requests use a share of the pool's connections at once; other requests of the same
 * sender wait in a line of their own. So whoever waits for a connection waits for a few statements of each
 * other sender at most. Work in the background has no share, nor have further statements during a
 * transaction, which would wait for themselves.
 */
export function shareConnections(pool: Pool): void {
  const { max, connectionTimeoutMillis: waitMs = 0 } = pool.options;
  const atOnceOfOwner = Math.max(LEAST_SHARE, Math.ceil(max * SHARE));
  const most = { atOnce: Number.POSITIVE_INFINITY, atOnceOfOwner, ...MOST_WAITING };
  const turns = new FairTurns(most, () => new ConnectionShareUsed());
  const held = new WeakMap<PoolClient, EndTurn>();
  const connect = pool.connect.bind(pool) as () => Promise<PoolClient>;
  pool.on('release', (_error, client) => {
    held.get(client)?.();
    held.delete(client);
  });

  const connectInTurn = async (sender: string): Promise<PoolClient> => {
    const end = turns.beginNow(sender) ?? (await inTime(turns.wait(sender), waitMs));
    try {
      const client = await connect();
      held.set(client, end);
      return client;
    } catch (error) {
      end();
      throw error;
    }
  };
  const shared = (callback?: WithClient): Promise<PoolClient> | void => {
    const sender = currentSender();
    if (sender === undefined) {
      return (connect as (callback?: WithClient) => Promise<PoolClient> | void)(callback);
    }
    const connecting = connectInTurn(sender);
    if (callback === undefined) {
      return connecting;
    }
    connecting.then(
      (client) => callback(undefined, client, client.release.bind(client)),
      (error: Error) => callback(error, undefined, () => {}),
    );
  };
  pool.connect = shared as Pool['connect'];
}

/** @throws ConnectionShareUsed */
async function inTime(turn: Promise<EndTurn>, waitMs: number): Promise<EndTurn> {
  const { promise, resolve, reject } = Promise.withResolvers<EndTurn>();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    reject(new ConnectionShareUsed());
  }, waitMs);
  turn.then((end) => {
    clearTimeout(timer);
    (isLate ? end : () => resolve(end))();
  }, reject);
  return promise;
}
