import { Injectable } from '@nestjs/common';
import {
  AccountTransferParts,
  jsonEntry,
  type TransferEntry,
  type TransferNotes,
  type TransferWish,
} from '../../common/ports/account-transfer.js';
import { OpmlExport } from '../opml/opml-export.service.js';
import { printQuery } from '../query/print-query.js';
import {
  NO_READER,
  ReaderIdsRepository,
  type Reader,
} from '../reader/delivery/reader-ids.repository.js';
import { UserPlacesRepository } from '../reader/items/user-places.repository.js';
import { NoticeTransfers } from '../reader/notices/notice-transfers.service.js';
import { RuleTransfers } from '../reader/rules/rule-transfers.service.js';
import { SavedSearchesRepository } from '../reader/search/saved-searches.repository.js';
import { withoutCredentials } from '../sources/shown-address.js';
import { TransferredItemsRepository } from './transferred-items.repository.js';

const NOT_ASKED_FOR = 'Passwords and tokens were not asked for.';

/** How a user set up the reader, in the archive of their account: feeds, rules, searches and notices. */
@Injectable()
export class ReaderPart {
  constructor(
    private readonly ids: ReaderIdsRepository,
    private readonly opml: OpmlExport,
    private readonly rules: RuleTransfers,
    private readonly searches: SavedSearchesRepository,
    private readonly places: UserPlacesRepository,
    private readonly notices: NoticeTransfers,
    private readonly items: TransferredItemsRepository,
    parts: AccountTransferParts,
  ) {
    parts.addExport((wish, notes) => this.#entries(wish, notes));
  }

  async *#entries(
    { userId, withSecrets }: TransferWish,
    notes: TransferNotes,
  ): AsyncGenerator<TransferEntry> {
    const reader = await this.ids.of(userId);
    if (reader.id === NO_READER) {
      return;
    }
    yield {
      path: 'subscriptions.opml',
      open: () =>
        this.opml.withSettings(reader, withSecrets, (hidesSecrets) => {
          notes.count('feeds');
          if (hidesSecrets) {
            notes.leaveOut('passwords and cookies of feeds', NOT_ASKED_FOR);
          }
        }),
    };
    yield jsonEntry('rules.json', async () => {
      const rules = await this.#rulesOf(reader, withSecrets);
      notes.count('rules', rules.length);
      return { rules };
    });
    yield jsonEntry('searches.json', async () => {
      const places = await this.places.placesOf(reader.id);
      const searches = await this.searches.list(reader.id);
      notes.count('saved searches', searches.length);
      return searches.map(({ name, query, inClients }) => ({
        name,
        query: printQuery(query, places),
        inClients,
      }));
    });
    yield jsonEntry('notices.json', async () => {
      const { channels, settings } = await this.notices.export(reader, withSecrets);
      notes.count('notice channels', channels.length);
      if (!withSecrets && channels.length > 0) {
        notes.leaveOut('addresses and tokens of notice channels', NOT_ASKED_FOR);
      }
      return { channels, settings };
    });
    yield jsonEntry('reader.json', async () => ({
      storiesOnce: await this.items.storiesOnce(reader.id),
      ownFeeds: await this.#ownFeeds(reader),
    }));
    notes.leaveOut(
      'whether each story is shown once, on the way back',
      'It looks through all articles when it is switched on.',
    );
    notes.leaveOut('what rules did, and notices that were sent', 'They are a record of the past.');
  }

  /** Feeds that are not fetched, which lists of feeds leave out. */
  async #ownFeeds({ id }: Reader) {
    const feeds = await this.items.feeds(id);
    return feeds
      .filter(({ isGiven }) => isGiven)
      .map(({ url, title, ownTitle, folder, ordering, pinned }) => ({
        url,
        title,
        folder,
        own: {
          ...(ownTitle === null && { title: 'publisher' }),
          ...(ordering !== 0 && { ordering: String(ordering) }),
          ...(pinned && { pinned: 'true' }),
        },
      }));
  }

  async #rulesOf(reader: Reader, withSecrets: boolean) {
    const rules = await this.rules.export(reader);
    const shown = withSecrets ? (url: string) => url : withoutCredentials;
    return rules.map((rule) => ({
      ...rule,
      scope: {
        ...rule.scope,
        feeds: rule.scope.feeds.map(shown),
        exceptFeeds: rule.scope.exceptFeeds.map(shown),
      },
    }));
  }
}
