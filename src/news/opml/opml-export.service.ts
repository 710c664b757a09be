import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { FeedAccessBox } from '../sources/access/feed-access.service.js';
import { withoutCredentials } from '../sources/shown-address.js';
import { OpmlRules } from './opml-rules.service.js';
import { OpmlRepository, type ExportedFeed } from './opml.repository.js';
import { ownAttributes } from './own-attributes.js';
import { writeOpml } from './write-opml.js';

/** Writes a user's feeds and rules as a list. */
@Injectable()
export class OpmlExport {
  constructor(
    private readonly opml: OpmlRepository,
    private readonly rules: OpmlRules,
    private readonly clock: Clock,
    private readonly accessBox: FeedAccessBox,
  ) {}

  /**
   * The text of an OPML file, in pieces, while the feeds are read. Addresses are written as the user has them,
   * credentials included.
   */
  async of(reader: Reader): Promise<AsyncGenerator<string, void, undefined>> {
    const head = await this.rules.export(reader);
    const hasGiven = await this.opml.hasGiven(reader.id);
    return writeOpml(this.opml.export(reader.id), reader.userId, this.clock.now(), {
      head,
      isOurs: head !== '' || hasGiven,
    });
  }

  /**
   * The same with the settings of the feeds, and without rules.
   *
   * @param withSecrets credentials and headers of feeds
   * @param onFeed called with each feed, and whether it has secrets that are left out
   */
  withSettings(
    { id, userId }: Reader,
    withSecrets: boolean,
    onFeed: (hidesSecrets: boolean) => void,
  ): AsyncGenerator<string, void, undefined> {
    const own = (feed: ExportedFeed) => {
      const { url } = feed;
      // Credentials of a group are not the user's.
      const access = feed.given === null ? feed.access : null;
      onFeed(!withSecrets && (access !== null || withoutCredentials(url ?? '') !== url));
      const opened = withSecrets && url !== null ? this.accessBox.open(url, access) : undefined;
      return ownAttributes(feed, opened);
    };
    const shown = withSecrets ? (url: string) => url : withoutCredentials;
    return writeOpml(this.opml.export(id), userId, this.clock.now(), {
      head: '',
      isOurs: true,
      manner: { own, shown },
    });
  }
}
