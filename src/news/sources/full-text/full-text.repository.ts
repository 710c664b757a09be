import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../database/database.js';
import { JobQueue } from '../../../database/jobs/job-queue.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { ArticleBodyEntity } from '../../tables/article.entity.js';
import { FullTextPageEntity } from '../../tables/full-text.entity.js';
import { arrivalOf, ARRIVALS, isAwaited } from '../articles/arrivals.js';
import { feedAddress } from '../feed-address.js';
import { announcingSource } from '../sources.sql.js';

const PAGE_ROW = selectList(FullTextPageEntity, 'page', [
  'articleId',
  'sourceId',
  'url',
  'hostKey',
  'failures',
]);

/** Permission to fetch an article's page, until the lease ends. */
export type PageLease = RowOf<typeof PAGE_ROW> & {
  readonly token: string;
  /** False for an allow-listed host, which needs no gap between requests. */
  readonly spaced: boolean;
};

type PageClaim =
  | { readonly is: 'lease'; readonly lease: PageLease }
  /** Pages are due whose hosts have a free slot in a moment. */
  | { readonly is: 'wait' }
  | { readonly is: 'nothing-due' };

/** Exceeds the time for fetching and reading a page. */
const LEASE_SECONDS = 90;

/** The planned revision of a source of which single pages alone are wanted: above all others. */
const SINGLE_PAGES = '9223372036854775807';

/** Slots within this time are waited for. */
const SOON_SECONDS = 10;

/** Pages that are fetched when full text is switched on for a source, and at most per fetch later. */
const FIRST_PAGES = 20;
const PAGES_PER_FETCH = 50;

/** A page is fetched again for a changed article only after this time. */
const REST_HOURS = 6;

/** Sources whose pages are planned in one transaction. */
const SOURCES_AT_A_TIME = 100;

/**
 * Full texts of articles, for sources with a subscription that wants them. Pages are planned by the
 * revision of the source, like deliveries, so that ingesting other sources costs nothing.
 */
@Injectable()
export class FullTextRepository {
  constructor(
    private readonly database: Database,
    private readonly jobs: JobQueue,
  ) {}

  /**
   * Whether any user wants full text, by subscription_full_text_index, or pages are left from one who did:
   * they exist only for rows of `full_text_source`.
   */
  async isUsed(): Promise<boolean> {
    const [row] = await this.database.query<{ isUsed: boolean }>(
      `select exists (select 1 from follower where full_text)
              or exists (select 1 from full_text_source) as "isUsed"`,
    );
    return row?.isUsed ?? false;
  }

  /** Plans the pages of single articles that have no full text and were not planned before. */
  async want(articleIds: readonly number[], tx: SqlRunner): Promise<void> {
    const articles = await tx.query<Pick<PageLease, 'articleId' | 'sourceId' | 'url'>>(
      `select id as "articleId", source_id as "sourceId", url from article
        where id = any($1::bigint[]) and full_text_rev is null and url ~* '^https?://'`,
      [articleIds],
    );
    await tx.query(
      `insert into full_text_source (source_id, planned_rev)
       select distinct source_id, ${SINGLE_PAGES}::bigint from unnest($1::bigint[]) as one (source_id)
       on conflict (source_id) do nothing`,
      [articles.map(({ sourceId }) => sourceId)],
    );
    await planPages(articles, 'nothing', tx);
  }

  /** Plans the pages of new and changed articles, of sources with a subscription that wants full text. */
  async plan(): Promise<void> {
    await this.database.query(
      `delete from full_text_source planned
        where not exists (select 1 from follower s
                           where s.source_id = planned.source_id and s.full_text
                             and s.deleted_at is null)
          and not exists (select 1 from full_text_page page
                           where page.source_id = planned.source_id and page.due_at is not null
                             and planned.planned_rev = ${SINGLE_PAGES})`,
    );
    await this.database.query(
      `insert into full_text_source (source_id, planned_rev)
       select distinct source_id, -1 from follower where full_text and deleted_at is null
       on conflict (source_id) do update
          set planned_rev = -1 where full_text_source.planned_rev = ${SINGLE_PAGES}`,
    );
    let planned: number;
    do {
      planned = await this.#planSome(SOURCES_AT_A_TIME);
    } while (planned === SOURCES_AT_A_TIME);
  }

  /**
   * Plans, for a newly added source (planned revision -1), only the latest articles without a full text.
   * @returns how many sources, at most `limit`
   */
  async #planSome(limit: number): Promise<number> {
    return this.database.transaction(async (tx) => {
      const sources = await tx.query<{ sourceId: number; plannedRev: number; rev: number }>(
        `with behind as materialized (
           select planned.source_id, planned.planned_rev, source.rev
             from full_text_source planned join source on source.id = planned.source_id
            where source.rev > planned.planned_rev
            limit $1 for update of planned skip locked
         )
         update full_text_source set planned_rev = behind.rev
           from behind where full_text_source.source_id = behind.source_id
         returning behind.source_id as "sourceId", behind.planned_rev as "plannedRev", behind.rev`,
        [limit],
      );
      if (sources.length === 0) {
        return 0;
      }
      const sourceIds = sources.map(({ sourceId }) => sourceId);
      const articles = await tx.query<Pick<PageLease, 'articleId' | 'sourceId' | 'url'>>(
        `select id as "articleId", source_id as "sourceId", url
           from (select article.id, article.source_id, article.url, article.full_text_rev,
                        behind.planned_rev,
                        row_number() over (partition by article.source_id
                                           order by article.id desc) as place
                   from article
                   join unnest($2::bigint[], $3::bigint[], $4::bigint[])
                        as behind (source_id, planned_rev, rev) on behind.source_id = article.source_id
                  where article.source_id = any($1::bigint[])
                    and article.rev > behind.planned_rev and article.rev <= behind.rev
                    and article.url ~* '^https?://') article
          where place <= case when planned_rev < 0 then ${FIRST_PAGES} else ${PAGES_PER_FETCH} end
            and (planned_rev >= 0 or full_text_rev is null)
          order by id desc`,
        [
          sourceIds,
          sourceIds,
          sources.map(({ plannedRev }) => plannedRev),
          sources.map(({ rev }) => rev),
        ],
      );
      await planPages(
        articles,
        `update
            set url = excluded.url, host_key = excluded.host_key,
                due_at = coalesce(page.due_at,
                                  greatest(now(), page.asked_at + interval '${REST_HOURS} hours'))`,
        tx,
      );
      return sources.length;
    });
  }

  /**
   * Leases a due page and takes a slot of its host; the slots are the same as for fetches of feeds. By
   * full_text_page_due_at_index.
   *
   * @param busyHosts are excluded
   * @param gapMs between requests to one host
   */
  async claim(busyHosts: readonly string[], gapMs: number): Promise<PageClaim> {
    return this.database.transaction(async (tx) => {
      const [page] = await tx.query<PageLease>(
        `select ${PAGE_ROW}, gen_random_uuid() as token,
                not coalesce(host.unspaced, false) as spaced
           from full_text_page page left join host_state host on host.host_key = page.host_key
          where due_at <= now() and page.host_key <> all($1::text[])
            and (host.host_key is null or host.unspaced or host.next_slot_at <= now())
            and coalesce(host.not_before <= now(), true)
          order by due_at limit 1 for update of page skip locked`,
        [busyHosts],
      );
      if (page === undefined) {
        const dueSoon = await tx.query(
          `select 1 from full_text_page page left join host_state host on host.host_key = page.host_key
            where due_at <= now()
              and coalesce(greatest(host.next_slot_at, host.not_before)
                             <= now() + make_interval(secs => ${SOON_SECONDS}), true)
            limit 1 for update of page skip locked`,
        );
        return { is: dueSoon.length > 0 ? 'wait' : 'nothing-due' };
      }
      if ((await this.takeSlot(page.hostKey, gapMs, tx)) === null) {
        return { is: 'wait' };
      }
      await tx.query(
        `update full_text_page
            set due_at = now() + make_interval(secs => ${LEASE_SECONDS}), asked_at = now(),
                lease_token = $2
          where article_id = $1`,
        [page.articleId, page.token],
      );
      return { is: 'lease', lease: page };
    });
  }

  /**
   * Takes a slot of a host, also for a page that is not planned.
   *
   * @param gapMs between requests to one host
   * @returns null if it has none now; otherwise whether its requests are spaced; not for an allow-listed
   *   host
   */
  async takeSlot(
    hostKey: string,
    gapMs: number,
    runner: SqlRunner = this.database,
  ): Promise<{ readonly spaced: boolean } | null> {
    const [slot] = await runner.query<{ spaced: boolean }>(
      `insert into host_state as host (host_key, next_slot_at, previous_slot_at)
       values ($1, now() + make_interval(secs => $2::float8), now())
       on conflict (host_key) do update
          set next_slot_at = case when host.unspaced then host.next_slot_at else excluded.next_slot_at end,
              previous_slot_at = excluded.previous_slot_at
        where (host.unspaced or host.next_slot_at <= now())
          and coalesce(host.not_before <= now(), true)
       returning not host.unspaced as spaced`,
      [hostKey, gapMs / 1000],
    );
    return slot ?? null;
  }

  /** The text that the feed itself has; null when the article was removed. */
  async feedHtml({ articleId, sourceId }: PageLease): Promise<string | null> {
    const body = await this.database.entities((em) =>
      em.findOne(ArticleBodyEntity, { articleId, sourceId }, { fields: ['html'] }),
    );
    return body?.html ?? null;
  }

  /**
   * Stores the full text as the next revision of the source, unless it is the same as before; null when
   * the feed has as much. Under the source's lock, like everything that makes a revision. One that was
   * written as this revision and is not announced yet, since the process ended, counts as changed.
   */
  async keep({ articleId, sourceId, token }: PageLease, html: string | null): Promise<void> {
    const hasArrived = await this.database.transaction(async (tx) => {
      const [source] = await tx.query<{ rev: number }>(
        'select rev from source where id = $1 for update',
        [sourceId],
      );
      const settled = await tx.query(
        `update full_text_page set due_at = null, failures = 0, lease_token = null
          where article_id = $1 and lease_token = $2 returning 1`,
        [articleId, token],
      );
      if (settled.length === 0 || source === undefined) {
        return false;
      }
      const changed = await tx.query(
        `with kept as (
           update article_body set full_text_html = $3
            where source_id = $2 and article_id = $1 and full_text_html is distinct from $3 returning 1
         )
         update article set full_text_rev = $4::bigint + 1
          where source_id = $2 and id = $1 and (exists (select 1 from kept) or full_text_rev > $4)
         returning 1`,
        [articleId, sourceId, html, source.rev],
      );
      if (changed.length === 0) {
        return false;
      }
      const [moved] = await tx.query<{ rev: number; isAwaited: boolean }>(
        `with moved as (update source set rev = rev + 1 where id = $1 returning id, rev)
         select rev, ${isAwaited('moved.id')} as "isAwaited", ${announcingSource('moved.id')} from moved`,
        [sourceId],
      );
      if (moved?.isAwaited === true) {
        await this.jobs.send(ARRIVALS, [arrivalOf(sourceId, source.rev, moved.rev)], tx);
      }
      return moved?.isAwaited === true;
    });
    if (hasArrived) {
      this.jobs.wake(ARRIVALS);
    }
  }

  /**
   * Records that a page could not be read. An earlier full text is kept.
   *
   * @param retryInSeconds null gives the page up
   */
  async noteFailure({ articleId, token }: PageLease, retryInSeconds: number | null): Promise<void> {
    await this.database.query(
      `update full_text_page
          set due_at = now() + make_interval(secs => $3::float8), failures = failures + 1,
              lease_token = null
        where article_id = $1 and lease_token = $2`,
      [articleId, token, retryInSeconds],
    );
  }

  /** Returns the lease of a page that was not fetched; it is due at once. */
  async release({ articleId, token }: PageLease): Promise<void> {
    await this.database.query(
      `update full_text_page set due_at = now(), lease_token = null
        where article_id = $1 and lease_token = $2`,
      [articleId, token],
    );
  }
}

/** @param again SQL of what is done with a page that was planned before */
async function planPages(
  articles: readonly Pick<PageLease, 'articleId' | 'sourceId' | 'url'>[],
  again: string,
  tx: SqlRunner,
): Promise<void> {
  const pages = articles.flatMap((article) => {
    const hostKey = hostOf(article.url);
    return hostKey === null ? [] : [{ ...article, hostKey }];
  });
  if (pages.length > 0) {
    await tx.query(
      `insert into full_text_page as page (article_id, source_id, url, host_key, due_at)
       select article_id, source_id, url, host_key, now()
         from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[])
              as wanted (article_id, source_id, url, host_key)
       on conflict (article_id) do ${again}`,
      [
        pages.map(({ articleId }) => articleId),
        pages.map(({ sourceId }) => sourceId),
        pages.map(({ url }) => url),
        pages.map(({ hostKey }) => hostKey),
      ],
    );
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
