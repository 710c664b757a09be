import type { Pool, PoolClient } from 'pg';
import { TooManyInProgress } from '../../common/errors/too-many-in-progress.js';
import { FairTurns, type EndTurn } from '../../common/fair-turns.js';
import { currentSender } from '../statement-limits.js';

/** Share of the connections for one sender of requests. */
const SHARE = 1 / 3;
const LEAST_SHARE = 2;

const KIND = 'statements of the database';
const MOST_WAITING = { waiting: 2000, waitingOfOwner: 500 };

/** MikroORM replaces errors by its own, to which it copies properties. */
const ORIGINAL = 'original';

function kept(error: Error): Error {
  return Object.defineProperty(error, ORIGINAL, { value: error });
}

/** The refusal of a connection that MikroORM has replaced, or the error itself. */
export function originalOf(error: unknown): unknown {
  return error instanceof Error ? (Reflect.get(error, ORIGINAL) ?? error) : error;
}

const refusals = new WeakMap<Pool, Error>();

/** Refuses waiting and later work of a pool while there is a reason. */
export function refuseConnections(pool: Pool, reason: Error | undefined): void {
  if (reason === undefined) {
    refusals.delete(pool);
  } else {
    refusals.set(pool, kept(reason));
  }
}

type WithClient = (
  error: Error | undefined,
  client: PoolClient | undefined,
  release: PoolClient['release'],
) => void;

/**
 * Lets each sender of requests use a share of the pool's connections at once; other requests of the same
 * sender wait in a queue of their own, so a request waits for a few statements of each other sender at
 * most. Background work has no share, nor have further statements during a transaction, which would wait
 * for themselves.
 */
export function shareConnections(pool: Pool): void {
  const { max, connectionTimeoutMillis: waitMs = 0 } = pool.options;
  const atOnceOfOwner = Math.max(LEAST_SHARE, Math.ceil(max * SHARE));
  const most = { atOnce: Number.POSITIVE_INFINITY, atOnceOfOwner, ...MOST_WAITING };
  const refusal = () => kept(new TooManyInProgress(atOnceOfOwner, KIND));
  const turns = new FairTurns(most, refusal);
  const held = new WeakMap<PoolClient, EndTurn>();
  const connect = pool.connect.bind(pool) as () => Promise<PoolClient>;
  pool.on('release', (_error, client) => {
    held.get(client)?.();
    held.delete(client);
  });

  const connectInTurn = async (sender: string): Promise<PoolClient> => {
    const end = turns.beginNow(sender) ?? (await inTime(turns.wait(sender), waitMs, refusal));
    try {
      const reason = refusals.get(pool);
      if (reason !== undefined) {
        throw reason;
      }
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
    void deliver(connecting, callback);
  };
  pool.connect = shared as Pool['connect'];
}

async function deliver(connecting: Promise<PoolClient>, callback: WithClient): Promise<void> {
  let client: PoolClient;
  try {
    client = await connecting;
  } catch (error) {
    callback(error as Error, undefined, () => {});
    return;
  }
  callback(undefined, client, client.release.bind(client));
}

/** @throws the refusal when the turn does not come in time */
async function inTime(
  turn: Promise<EndTurn>,
  waitMs: number,
  refusal: () => Error,
): Promise<EndTurn> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    // The caller has stopped waiting.
    void turn.then((end) => end());
    late.reject(refusal());
  }, waitMs);
  try {
    return await Promise.race([turn, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
