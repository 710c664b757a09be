import type { DatabaseAddress } from './orm.config.js';

/** A PostgreSQL server of our own in the data folder, running for as long as somebody holds it. */
export interface EmbeddedPostgres {
  readonly address: DatabaseAddress;
  /** Lets go of the server; the last process to do so stops it. */
  release(): Promise<void>;
}

export async function holdEmbeddedPostgres(_options: {
  readonly dataDir: string;
  readonly log: (line: string) => void;
}): Promise<EmbeddedPostgres> {
  throw new Error('not built yet');
}
