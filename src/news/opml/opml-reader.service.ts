import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ReadingPool } from '../feed-parser/pool/reading-pool.js';
import { readOpml, type OpmlDocument } from './read-opml.js';

/** The compiled worker for compiled code, otherwise its TypeScript source. */
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? './read-opml.worker.from-source.mjs' : './read-opml.worker.js',
  import.meta.url,
);

/** Of these even the character set is found in milliseconds. */
const SMALL_BYTES = 256 * 1024;

/** Reads large OPML files in a thread, which small ones need not wait for. */
@Injectable()
export class OpmlReader extends ReadingPool<OpmlDocument> implements OnApplicationShutdown {
  constructor() {
    super(WORKER, { size: 1, idleSeconds: 10 });
  }

  /** @throws UnreadableDocument for a file that is not OPML or exceeds a limit */
  async readFile(bytes: Uint8Array): Promise<OpmlDocument> {
    return bytes.length <= SMALL_BYTES
      ? readOpml(bytes)
      : this.read({ bytes, contentType: null, url: '' });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.close();
  }
}
