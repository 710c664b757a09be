import type { Pool, PoolClient } from 'pg';
import { chooseDecoding } from '../byte-rows.js';

/** Internals of pg that lack methods. */
interface GrowingPool {
  Client: new (...options: never[]) => ConnectingClient;
  _isFull(): boolean;
  _pulseQueue(): void;
}

interface ConnectingClient extends Pick<PoolClient, 'connection'> {
  connect(done: (error: Error | undefined) => void): void;
}

/**
 * Lets a pool open one connection at a time. Otherwise it opens one for each of the many statements of a
 * start, which ten connections fewer serve as quickly: a statement takes less time than opening a
 * connection, and each costs the server some 5 MB.
 */
export function growOnDemand(pool: Pool): void {
  const growing = pool as unknown as GrowingPool;
  const isFull = growing._isFull.bind(pool);
  let isOpening = false;
  growing._isFull = () => isOpening || isFull();
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
