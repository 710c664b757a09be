import { setTimeout } from 'node:timers';
import type { Pool, PoolClient } from 'pg';
import { chooseDecoding } from '../byte-rows.js';

/** Internals of pg that lack methods. */
interface GrowingPool {
  readonly _clients: readonly unknown[];
  readonly _idle: readonly unknown[];
  Client: new (...options: never[]) => ConnectingClient;
  _isFull(): boolean;
  _pulseQueue(): void;
}

interface ConnectingClient extends Pick<PoolClient, 'connection'> {
  connect(done: (error: Error | undefined) => void): void;
}

/** More stay open on a quiet service, if each moment when many tasks begin opens one. */
const FEW = 3;

/** How long a statement waits for one of these before another connection is opened. */
const PATIENCE_MS = 50;

/**
 * Lets a pool open one connection at a time, and of more than a few only when a statement still waits after a
 * moment. Otherwise it opens one for each of the many statements of a start, which ten connections fewer serve
 * as quickly: a statement takes less time than opening a connection, and each costs the server some 5 MB.
 */
export function growOnDemand(pool: Pool): void {
  const growing = pool as unknown as GrowingPool;
  const isFull = growing._isFull.bind(pool);
  let isOpening = false;
  let patience: NodeJS.Timeout | undefined;
  let isPatient = true;
  const waitsFirst = () => {
    if (!isPatient || growing._clients.length < FEW || growing._idle.length > 0) {
      return false;
    }
    patience ??= setTimeout(() => {
      patience = undefined;
      isPatient = false;
      growing._pulseQueue();
      isPatient = true;
    }, PATIENCE_MS);
    return true;
  };
  growing._isFull = () => isOpening || isFull() || waitsFirst();
  growing.Client = class extends growing.Client {
    constructor(...options: never[]) {
      super(...options);
      chooseDecoding(this);
    }

    override connect(done: (error: Error | undefined) => void): void {
      isOpening = true;
      super.connect((error) => {
        isOpening = false;
        done(error);
        // Opens the next one if statements still wait.
        growing._pulseQueue();
      });
    }
  };
}
