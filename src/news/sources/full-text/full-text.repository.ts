import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { ArticleBodyEntity } from '../articles/article-body.entity.js';
import { feedAddress } from '../feed-address.js';
import {
  articlesToPlan,
  countFailure,
  isFullTextUsed,
  isPageDueSoon,
  leasePage,
  lockDuePage,
  markPlanned,
  planPages,
  publishRevision,
  returnPage,
  settlePage,
  syncFullTextSources,
  takeSlot,
  writeFullText,
  type PageLease,
} from './full-text.sql.js';

type PageClaim =
  | { readonly is: 'lease'; readonly lease: PageLease }
  /** Pages are due whose hosts have a free slot in a moment. */
  | { readonly is: 'wait' }
  | { readonly is: 'nothing-due' };

/** Of whose new articles the pages are planned in one transaction. */
const SOURCES_AT_A_TIME = 100;

/**
 * Full texts of articles, for sources with a subscription that wants them. Pages are planned by the
 * revision of the source, like deliveries, so that ingesting other sources costs nothing.
 */
@Injectable()
export class FullTextRepository {
  constructor(private readonly database: Database) {}

  /** Whether any user wants full text, or pages are left from one who did. */
  async isUsed(): Promise<boolean> {
    return isFullTextUsed(this.database);
  }

  /** Plans the pages of new and changed articles. */
  async plan(): Promise<void> {
    await syncFullTextSources(this.database);
    let planned: number;
    do {
      planned = await this.#planSome(SOURCES_AT_A_TIME);
    } while (planned === SOURCES_AT_A_TIME);
  }

  /** @returns how many sources, at most `limit` */
  async #planSome(limit: number): Promise<number> {
    return this.database.transaction(async (tx) => {
      const sources = await markPlanned(tx, limit);
      const articles = sources.length === 0 ? [] : await articlesToPlan(tx, sources);
      const pages = articles.flatMap((article) => {
        const hostKey = hostOf(article.url);
        return hostKey === null ? [] : [{ ...article, hostKey }];
      });
      if (pages.length > 0) {
        await planPages(tx, pages);
      }
      return sources.length;
    });
  }

  /**
   * Leases a due page and takes a slot of its host; the slots are the same as for fetches of feeds.
   *
   * @param busyHosts are excluded
   * @param gapMs between requests to one host
   */
  async claim(busyHosts: readonly string[], gapMs: number): Promise<PageClaim> {
    return this.database.transaction(async (tx) => {
      const page = await lockDuePage(tx, busyHosts);
      if (page === null) {
        return { is: (await isPageDueSoon(tx)) ? 'wait' : 'nothing-due' };
      }
      if ((await takeSlot(tx, page.hostKey, gapMs)) === null) {
        return { is: 'wait' };
      }
      await leasePage(tx, page);
      return { is: 'lease', lease: page };
    });
  }

  /**
   * Takes a slot of a host, for a page that is not planned.
   *
   * @param gapMs between requests to one host
   * @returns null if it has none now
   */
  async takeSlot(hostKey: string, gapMs: number): Promise<{ readonly spaced: boolean } | null> {
    return takeSlot(this.database, hostKey, gapMs);
  }

  /** The text that the feed itself has; null when the article was removed. */
  async feedHtml({ articleId, sourceId }: PageLease): Promise<string | null> {
    const body = await this.database.entities((em) =>
      em.findOne(
        ArticleBodyEntity,
        { articleId, sourceId },
        { fields: ['html'], disableIdentityMap: true },
      ),
    );
    return body?.html ?? null;
  }

  /**
   * Stores the full text; null when the feed has as much. Under the source's lock, like everything
   * that makes a revision.
   */
  async keep(lease: PageLease, html: string | null): Promise<void> {
    await this.database.transaction(async (tx) => {
      const rev = await settlePage(tx, lease);
      if (rev !== null && (await writeFullText(tx, lease, html, rev))) {
        await publishRevision(tx, lease.sourceId);
      }
    });
  }

  /**
   * Records that a page could not be read. An earlier full text is kept.
   *
   * @param retryInSeconds null gives the page up
   */
  async noteFailure(lease: PageLease, retryInSeconds: number | null): Promise<void> {
    await countFailure(this.database, lease, retryInSeconds);
  }

  /** Returns the lease of a page that was not fetched; it is due at once. */
  async release(lease: PageLease): Promise<void> {
    await returnPage(this.database, lease);
  }
}

/** @returns null for an address that cannot be fetched */
function hostOf(url: string): string | null {
  try {
    return feedAddress(url).host;
  } catch {
    return null;
  }
}
