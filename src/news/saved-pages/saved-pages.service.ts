import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { assertBelowLimit } from '../../common/errors/limit-reached.js';
import { Shares } from '../../common/http/shares.js';
import { shownSentence } from '../../common/texts/visitor-language.js';
import type { AddedPage } from '../adding/added-items.input.js';
import { AddedItemsService } from '../adding/added-items.service.js';
import type { Adder } from '../adding/given-source.js';
import type { KeptPage, PageKeeper } from '../adding/page-keeper.offer.js';
import { pageAddress } from '../query/page-address.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { ItemsService } from '../reader/items/items.service.js';
import { ItemsByAddress, type ItemAtAddress } from '../reader/search/items-by-address.service.js';
import { PageReadings } from '../sources/full-text/page-readings.service.js';
import { pageItem } from './page-item.js';
import { SavedPagesRepository } from './saved-pages.repository.js';

/**
 * Keeps web pages by their address alone, as items of a feed of the user's own. What cannot be read is kept as a
 * link, with a sentence that says why.
 *
 * @see docs/decisions/0100-keep-any-page.md
 */
@Injectable()
export class SavedPagesService implements PageKeeper {
  constructor(
    private readonly config: Config,
    private readonly readings: PageReadings,
    private readonly added: AddedItemsService,
    private readonly addresses: ItemsByAddress,
    private readonly items: ItemsService,
    private readonly saved: SavedPagesRepository,
    private readonly shares: Shares,
  ) {}

  /**
   * Keeps a page; one that another feed has delivered is starred instead. A page that was kept before is read again,
   * and keeps what was read then unless there is a text.
   *
   * @throws AddressNotAllowed, LimitReached, TooManyPages, PagesBusy; then nothing is stored
   */
  async keep(adder: Adder, feedTitle: string | null, page: AddedPage): Promise<KeptPage> {
    const { reader } = adder;
    const end = this.config.rateLimits ? this.shares.take('full texts', reader.userId) : null;
    try {
      return await this.#keep(adder, feedTitle, page);
    } finally {
      end?.();
    }
  }

  async #keep(adder: Adder, feedTitle: string | null, page: AddedPage): Promise<KeptPage> {
    const { reader } = adder;
    const feedId = await this.added.feedId(adder, feedTitle);
    const find = async (addresses: readonly string[]) => {
      const found = await this.addresses.find(reader, addresses);
      return found.find((item) => item.feedId === feedId) ?? found[0];
    };
    const known = await find([page.url]);
    if (known !== undefined && known.feedId !== feedId) {
      return this.#star(reader, known);
    }
    if (known === undefined) {
      const most = this.config.limits['saved-pages-per-user'];
      const count = await this.saved.count(reader, most);
      assertBelowLimit(this.config, 'saved-pages-per-user', count);
    }
    const seen = await this.readings.read(reader.userId, page.url);
    const { hasText, problem, alsoAt, ...item } = pageItem(page, seen);
    const present = known ?? (await find([item.url, ...alsoAt]));
    if (present !== undefined && present.feedId !== feedId) {
      return this.#star(reader, present);
    }
    const told = problem === null ? null : shownSentence(problem);
    if (present !== undefined && !hasText) {
      return keptItem(present, {
        outcome: 'unchanged',
        title: present.title ?? item.title,
        problem: told,
      });
    }
    const guid = present?.guid ?? item.guid ?? pageAddress(page.url);
    const added = await this.added.add(adder, feedTitle, [{ ...item, guid }]);
    for (const { id } of added.items) {
      await this.saved.retain(reader, id);
    }
    const outcome = present === undefined ? 'saved' : 'renewed';
    return { ...added, kept: { outcome, title: item.title, problem: told } };
  }

  async #star(reader: Reader, item: ItemAtAddress): Promise<KeptPage> {
    await this.items.setFlag(reader, item.itemId, 'starred', true);
    return keptItem(item, { outcome: 'starred', title: item.title ?? '', problem: null });
  }
}

function keptItem(
  { feedId, itemId, guid, guidHash }: ItemAtAddress,
  kept: KeptPage['kept'],
): KeptPage {
  return { feedId, items: [{ id: itemId, guid, guidHash }], kept };
}
