import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ReadingPool } from '../feed-parser/pool/reading-pool.js';
import { changedAccess, FeedAccessBox, NO_ACCESS } from '../sources/access/feed-access.service.js';
import { feedAddress, type FeedAddress } from '../sources/feed-address.js';
import { accessIn } from './own-attributes.js';
import { readOpml, type OpmlDocument, type OpmlFeed } from './read-opml.js';

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
  constructor(private readonly accessBox: FeedAccessBox) {
    super(WORKER, { size: 1, idleSeconds: 10 });
  }

  /** @throws UnreadableDocument for a file that is not OPML or exceeds a limit */
  async readFile(bytes: Uint8Array): Promise<OpmlDocument> {
    return bytes.length <= SMALL_BYTES
      ? readOpml(bytes)
      : this.read({ bytes, contentType: null, url: '' });
  }

  /**
   * The address of a feed, with the headers that the file has for it.
   *
   * @throws InvalidFeedAddress
   */
  addressOf({ url, foreign, own }: OpmlFeed): FeedAddress {
    const address = feedAddress(url);
    const given = foreign?.access ?? accessIn(own);
    return given ? this.accessBox.seal(address, changedAccess(NO_ACCESS, given)) : address;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.close();
  }
}
