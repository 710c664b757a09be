import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../database/database.js';
import { feedAddress } from '../sources/feed-address.js';
import { announceSource } from '../reader/delivery/announcements.sql.js';

/** Permission to ask for an article's page, until somebody else gets it. */
export interface PageLease {
  readonly articleId: number;
  readonly sourceId: number;
  readonly url: string;
  readonly hostKey: string;
  readonly token: string;
  /** False for a host of the operator's own network, which needs no distance between calls. */
  readonly spaced: boolean;
  /** How often in a row the page could not be read. */
  readonly failures: number;
}

export type PageClaim =
  | { readonly is: 'lease'; readonly lease: PageLease }
  /** Pages are due whose hosts can be called in a moment. */
  | { readonly is: 'wait' }
  | { readonly is: 'nothing-due' };

/** Longer than a page may take, reading included. */
const LEASE_SECONDS = 90;

const SOON_SECONDS = 10;

/** What is wanted of a source when somebody switches full text on, and at most of one fetch later. */
const FIRST_PAGES = 20;
const PAGES_OF_A_FETCH = 50;

/** A page is not asked for again sooner because its article changed. */
const REST_HOURS = 6;

/**
 * Texts of articles' pages, for sources of which somebody wants them. What is to be fetched follows
 * from revisions, as deliveries do, so that storing articles of other sources costs nothing.
 */
@Injectable()
export class FullTextRepository {
  constructor(private readonly database: Database) {}

  /** Plans pages of articles that came or changed, and forgets sources of which nobody wants them. */
  async plan(): Promise<void> {
    await this.database.query(
      `delete from full_text_source planned
        where not exists (select from subscription s
                           where s.source_id = planned.source_id and s.full_text
                             and s.deleted_at is null)`,
    );
    await this.database.query(
      `insert into full_text_source (source_id, planned_rev)
       select distinct source_id, -1 from subscription where full_text and deleted_at is null
       on conflict (source_id) do nothing`,
    );
    await this.database.transaction(async (tx) => {
      const wanted = await articlesToPlan(tx);
      await planPages(tx, wanted);
    });
  }

  /**
   * Takes a page that is due and a slot of its host, which all processes share with the fetching
   * of feeds.
   *
   * @param busyHosts are not to be called just now
   * @param gapMs distance between calls of one host
   */
  async claim(busyHosts: readonly string[], gapMs: number): Promise<PageClaim> {
    return this.database.transaction(async (tx) => {
      const [page] = await tx.query<PageLease>(
        `select article_id as "articleId", source_id as "sourceId", page.url,
                page.host_key as "hostKey", gen_random_uuid() as token, failures,
                not coalesce(host.unspaced, false) as spaced
           from full_text_page page left join host_state host on host.host_key = page.host_key
          where due_at <= now() and page.host_key <> all($1::text[])
            and (host.host_key is null or host.unspaced or host.next_slot_at <= now())
            and coalesce(host.not_before <= now(), true)
          order by due_at limit 1 for update of page skip locked`,
        [busyHosts],
      );
      if (page === undefined) {
        const due = await tx.query(
          `select 1 from full_text_page page left join host_state host on host.host_key = page.host_key
            where due_at <= now()
              and coalesce(greatest(host.next_slot_at, host.not_before)
                             <= now() + make_interval(secs => ${SOON_SECONDS}), true)
            limit 1 for update of page skip locked`,
        );
        return { is: due.length === 0 ? 'nothing-due' : 'wait' };
      }
      if (!(await takeSlot(tx, page.hostKey, gapMs))) {
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

  /** What the feed itself says of the article; null when it is gone. */
  async feedHtml(articleId: number): Promise<string | null> {
    const [body] = await this.database.query<{ html: string }>(
      'select html from article_body where article_id = $1',
      [articleId],
    );
    return body?.html ?? null;
  }

  /**
   * Keeps the text of a page; null when the feed itself says as much. Under the source's lock, like
   * all that makes a revision; the same text as before makes none.
   */
  async keep({ articleId, sourceId, token }: PageLease, html: string | null): Promise<void> {
    await this.database.transaction(async (tx) => {
      await tx.query('select 1 from source where id = $1 for update', [sourceId]);
      const settled = await tx.query(
        `update full_text_page set due_at = null, failures = 0, lease_token = null
          where article_id = $1 and lease_token = $2 returning 1`,
        [articleId, token],
      );
      if (settled.length === 0) {
        return;
      }
      const shown = await tx.query(
        `with kept as (
           update article_body set full_text_html = $3
            where article_id = $1 and full_text_html is distinct from $3 returning 1
         ), moved as (
           update source set rev = rev + 1 where id = $2 and exists (select from kept) returning rev
         )
         update article set full_text_rev = moved.rev from moved where article.id = $1 returning 1`,
        [articleId, sourceId, html],
      );
      if (shown.length > 0) {
        await announceSource(tx, sourceId);
      }
    });
  }

  /**
   * Notes that a page could not be read. A text it had before stays.
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

  /** Gives a page back that was not asked for. */
  async release({ articleId, token }: PageLease): Promise<void> {
    await this.database.query(
      `update full_text_page set due_at = now(), lease_token = null
        where article_id = $1 and lease_token = $2`,
      [articleId, token],
    );
  }
}

interface WantedPage {
  readonly articleId: number;
  readonly sourceId: number;
  readonly url: string;
}

/**
 * One statement and so one snapshot: a source's mark moves to the revision that this snapshot saw.
 * Of a source that is new here, only articles without a text are wanted.
 */
async function articlesToPlan(tx: SqlRunner): Promise<WantedPage[]> {
  return tx.query<WantedPage>(
    `with behind as materialized (
       select planned.source_id, planned.planned_rev, source.rev
         from full_text_source planned join source on source.id = planned.source_id
        where source.rev > planned.planned_rev
          for update of planned skip locked
     ), marked as (
       update full_text_source set planned_rev = behind.rev
         from behind where full_text_source.source_id = behind.source_id
     )
     select article.id as "articleId", behind.source_id as "sourceId", article.url
       from behind
      cross join lateral (
        select id, url, full_text_rev from article
         where source_id = behind.source_id and rev > behind.planned_rev and url ~* '^https?://'
         order by id desc
         limit case when behind.planned_rev < 0 then ${FIRST_PAGES} else ${PAGES_OF_A_FETCH} end
      ) article
      where behind.planned_rev >= 0 or article.full_text_rev is null
      order by article.id desc`,
  );
}

async function planPages(tx: SqlRunner, wanted: readonly WantedPage[]): Promise<void> {
  const pages = wanted.flatMap((page) => {
    const host = hostOf(page.url);
    return host === null ? [] : [{ ...page, host }];
  });
  if (pages.length === 0) {
    return;
  }
  await tx.query(
    `insert into full_text_page as page (article_id, source_id, url, host_key, due_at)
     select article_id, source_id, url, host_key, now()
       from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[])
            as wanted (article_id, source_id, url, host_key)
      where exists (select from article where article.id = wanted.article_id)
     on conflict (article_id) do update
        set url = excluded.url, host_key = excluded.host_key,
            due_at = coalesce(page.due_at,
                              greatest(now(), page.asked_at + interval '${REST_HOURS} hours'))`,
    [
      pages.map(({ articleId }) => articleId),
      pages.map(({ sourceId }) => sourceId),
      pages.map(({ url }) => url),
      pages.map(({ host }) => host),
    ],
  );
}

/** @returns false when somebody else was faster */
async function takeSlot(tx: SqlRunner, host: string, gapMs: number): Promise<boolean> {
  const rows = await tx.query(
    `insert into host_state as host (host_key, next_slot_at, previous_slot_at)
     values ($1, now() + make_interval(secs => $2::float8), now())
     on conflict (host_key) do update
        set next_slot_at = case when host.unspaced then host.next_slot_at else excluded.next_slot_at end,
            previous_slot_at = excluded.previous_slot_at
      where (host.unspaced or host.next_slot_at <= now())
        and coalesce(host.not_before <= now(), true)
     returning 1`,
    [host, gapMs / 1000],
  );
  return rows.length > 0;
}

function hostOf(url: string): string | null {
  try {
    return feedAddress(url).host;
  } catch {
    return null;
  }
}
