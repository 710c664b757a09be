import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { tooMany } from '../../common/errors/domain-error.js';
import { assertBelowLimit } from '../../common/errors/limit-reached.js';
import { OutgoingHttpError } from '../../common/http/outgoing-errors.js';
import { Shares } from '../../common/http/shares.js';
import { Allowances } from '../../common/ports/allowances.js';
import { shownSentence } from '../../common/texts/visitor-language.js';
import { HOUR_SECONDS } from '../../common/units.js';
import type { AddedPage } from '../adding/added-items.input.js';
import { AddedItemsService, type Adder } from '../adding/added-items.service.js';
import type { KeptPage, PageKeeper } from '../adding/page-keeper.offer.js';
import { pageAddress } from '../query/page-address.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { ItemsService } from '../reader/items/items.service.js';
import { ItemsByAddress, type ItemAtAddress } from '../reader/search/items-by-address.service.js';
import type { SeenPage } from '../sources/full-text/fetch-article.service.js';
import { FullTextService } from '../sources/full-text/full-text.service.js';
import { pageItem, type UnseenPage } from './page-item.js';
import { SavedPagesRepository } from './saved-pages.repository.js';

class TooManySavedPages extends tooMany(
  (most: number, retryAfterSeconds: number) =>
    `You had ${most} pages read within an hour; try again in ${Math.ceil(retryAfterSeconds / 60)} min.`,
  (_most, retryAfterSeconds) => ({ retryAfterSeconds }),
) {}

/** Too many pages of the process are being read. */
class SavedPagesBusy extends tooMany('Too many web pages are being read. Try again in a moment.', {
  retryAfterSeconds: 10,
}) {}

/** Redirects for browsers that are followed. */
const MOST_REFRESHES = 2;

/**
 * Keeps web pages by their address alone, as items of a feed of the user's own. What cannot be read is kept as a
 * link, with a sentence that says why.
 *
 * @see docs/decisions/0100-keep-any-page.md
 */
@Injectable()
export class SavedPagesService implements PageKeeper {
  /** After it, the link is kept. */
  waitSeconds = 20;

  constructor(
    private readonly config: Config,
    private readonly pages: FullTextService,
    private readonly added: AddedItemsService,
    private readonly addresses: ItemsByAddress,
    private readonly items: ItemsService,
    private readonly saved: SavedPagesRepository,
    private readonly allowances: Allowances,
    private readonly shares: Shares,
  ) {}

  /**
   * Keeps a page; one that another feed has delivered is starred instead. A page that was kept before is read again,
   * and keeps what was read then unless there is a text.
   *
   * @throws AddressNotAllowed, LimitReached, TooManySavedPages, SavedPagesBusy; then nothing is stored
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
      const count = await this.saved.count(reader.userId, most);
      assertBelowLimit(this.config, 'saved-pages-per-user', count);
    }
    await this.#count(reader);
    const { hasText, problem, alsoAt, ...item } = pageItem(page, await this.#read(page.url));
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

  /** @throws AddressNotAllowed, SavedPagesBusy */
  async #read(url: string): Promise<SeenPage | UnseenPage> {
    const until = performance.now() + this.waitSeconds * 1000;
    let seen = await this.#look(url, this.waitSeconds);
    for (let hops = 0; hops < MOST_REFRESHES; hops += 1) {
      const to = 'about' in seen && seen.article === null ? seen.about?.refreshTo : null;
      const leftSeconds = (until - performance.now()) / 1000;
      if (to === null || to === undefined || leftSeconds < 1) {
        break;
      }
      const next = await this.#look(to, leftSeconds).catch((error: unknown) => {
        if (error instanceof OutgoingHttpError) {
          return null;
        }
        throw error;
      });
      seen = next !== null && 'about' in next ? next : seen;
    }
    return seen;
  }

  async #look(url: string, withinSeconds: number): Promise<SeenPage | UnseenPage> {
    try {
      const seen = await this.pages.lookNow(url, withinSeconds);
      if (seen === 'busy') {
        throw new SavedPagesBusy();
      }
      const { host } = new URL(url);
      return seen === 'resting'
        ? { problem: `The server at ${host} wants no further requests for now.` }
        : seen;
    } catch (error) {
      // Addresses that are not allowed are invalid.
      if (error instanceof OutgoingHttpError && error.kind !== 'invalid') {
        return { problem: error.message };
      }
      throw error;
    }
  }

  /** @throws TooManySavedPages */
  async #count(reader: Reader): Promise<void> {
    if (!this.config.rateLimits) {
      return;
    }
    const most = this.config.limits['saved-pages-per-user-and-hour'];
    const allowance = { kind: 'saved pages', most, periodSeconds: HOUR_SECONDS };
    const { granted, waitSeconds } = await this.allowances.take(reader.userId, allowance);
    if (granted === 0) {
      throw new TooManySavedPages(most, waitSeconds);
    }
  }
}

function keptItem(
  { feedId, itemId, guid, guidHash }: ItemAtAddress,
  kept: KeptPage['kept'],
): KeptPage {
  return { feedId, items: [{ id: itemId, guid, guidHash }], kept };
}
