import type { SqlRunner } from '../../../database/database.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { announcingSource } from '../../reader/delivery/announcements.sql.js';
import { FullTextPageEntity } from './full-text-page.entity.js';

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

/** A page to be fetched. */
type PlannedPage = Pick<FullTextPageEntity, 'articleId' | 'sourceId' | 'url' | 'hostKey'>;

/** Longer than fetching and reading a page may take. */
const LEASE_SECONDS = 90;

/** A page whose host has a slot within this time is waited for. */
const SOON_SECONDS = 10;

/** Pages that are fetched when full text is switched on for a source, and at most per fetch later. */
const FIRST_PAGES = 20;
const PAGES_PER_FETCH = 50;

/** A page is fetched again for a changed article only after this time. */
const REST_HOURS = 6;

/** By subscription_full_text_index. Pages exist only for rows of `full_text_source`. */
export async function isFullTextUsed(runner: SqlRunner): Promise<boolean> {
  const [row] = await runner.query<{ isUsed: boolean }>(
    `select exists (select from follower where full_text)
            or exists (select from full_text_source) as "isUsed"`,
  );
  return row?.isUsed ?? false;
}

/** Keeps `full_text_source` to the sources with a subscription that wants full text. */
export async function syncFullTextSources(runner: SqlRunner): Promise<void> {
  await runner.query(
    `delete from full_text_source planned
      where not exists (select from follower s
                         where s.source_id = planned.source_id and s.full_text
                           and s.deleted_at is null)`,
  );
  await runner.query(
    `insert into full_text_source (source_id, planned_rev)
     select distinct source_id, -1 from follower where full_text and deleted_at is null
     on conflict (source_id) do nothing`,
  );
}

/** A source with articles to plan. */
export interface SourceBehind {
  readonly sourceId: number;
  /** -1 for one that was just added. */
  readonly plannedRev: number;
  readonly rev: number;
}

/** Marks sources as planned up to the revision that is returned, at most `limit`. */
export async function markPlanned(tx: SqlRunner, limit: number): Promise<SourceBehind[]> {
  return tx.query<SourceBehind>(
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
}

/**
 * The latest articles of these sources that are new or changed since they were last planned; of a newly
 * added source only those without a full text.
 */
export async function articlesToPlan(
  runner: SqlRunner,
  sources: readonly SourceBehind[],
): Promise<Pick<PlannedPage, 'articleId' | 'sourceId' | 'url'>[]> {
  return runner.query(
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
      sources.map(({ sourceId }) => sourceId),
      sources.map(({ sourceId }) => sourceId),
      sources.map(({ plannedRev }) => plannedRev),
      sources.map(({ rev }) => rev),
    ],
  );
}

/** Makes these pages due, those fetched lately after a rest. */
export async function planPages(tx: SqlRunner, pages: readonly PlannedPage[]): Promise<void> {
  await tx.query(
    `insert into full_text_page as page (article_id, source_id, url, host_key, due_at)
     select article_id, source_id, url, host_key, now()
       from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[])
            as wanted (article_id, source_id, url, host_key)
     on conflict (article_id) do update
        set url = excluded.url, host_key = excluded.host_key,
            due_at = coalesce(page.due_at,
                              greatest(now(), page.asked_at + interval '${REST_HOURS} hours'))`,
    [
      pages.map(({ articleId }) => articleId),
      pages.map(({ sourceId }) => sourceId),
      pages.map(({ url }) => url),
      pages.map(({ hostKey }) => hostKey),
    ],
  );
}

/** Locks a due page whose host has a free slot now; by full_text_page_due_at_index. */
export async function lockDuePage(
  tx: SqlRunner,
  busyHosts: readonly string[],
): Promise<PageLease | null> {
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
  return page ?? null;
}

/** Whether a page is due whose host has a free slot soon. */
export async function isPageDueSoon(tx: SqlRunner): Promise<boolean> {
  const rows = await tx.query(
    `select 1 from full_text_page page left join host_state host on host.host_key = page.host_key
      where due_at <= now()
        and coalesce(greatest(host.next_slot_at, host.not_before)
                       <= now() + make_interval(secs => ${SOON_SECONDS}), true)
      limit 1 for update of page skip locked`,
  );
  return rows.length > 0;
}

/**
 * @returns null if the host has no free slot now; otherwise whether its requests are spaced, which
 *   those to an allow-listed host are not
 */
export async function takeSlot(
  tx: SqlRunner,
  host: string,
  gapMs: number,
): Promise<{ readonly spaced: boolean } | null> {
  const [slot] = await tx.query<{ spaced: boolean }>(
    `insert into host_state as host (host_key, next_slot_at, previous_slot_at)
     values ($1, now() + make_interval(secs => $2::float8), now())
     on conflict (host_key) do update
        set next_slot_at = case when host.unspaced then host.next_slot_at else excluded.next_slot_at end,
            previous_slot_at = excluded.previous_slot_at
      where (host.unspaced or host.next_slot_at <= now())
        and coalesce(host.not_before <= now(), true)
     returning not host.unspaced as spaced`,
    [host, gapMs / 1000],
  );
  return slot ?? null;
}

export async function leasePage(tx: SqlRunner, { articleId, token }: PageLease): Promise<void> {
  await tx.query(
    `update full_text_page
        set due_at = now() + make_interval(secs => ${LEASE_SECONDS}), asked_at = now(),
            lease_token = $2
      where article_id = $1`,
    [articleId, token],
  );
}

/** Locks the source and ends the lease. @returns the source's revision; null if the lease is lost */
export async function settlePage(
  tx: SqlRunner,
  { articleId, sourceId, token }: PageLease,
): Promise<number | null> {
  const [source] = await tx.query<{ rev: number }>(
    'select rev from source where id = $1 for update',
    [sourceId],
  );
  const settled = await tx.query(
    `update full_text_page set due_at = null, failures = 0, lease_token = null
      where article_id = $1 and lease_token = $2 returning 1`,
    [articleId, token],
  );
  return settled.length === 0 ? null : (source?.rev ?? null);
}

/**
 * Writes a full text as the revision after `rev`, unless it is the same as before. One that was written
 * as this revision and is not announced yet, since the process ended, counts as changed.
 */
export async function writeFullText(
  tx: SqlRunner,
  { articleId, sourceId }: PageLease,
  html: string | null,
  rev: number,
): Promise<boolean> {
  const changed = await tx.query(
    `with kept as (
       update article_body set full_text_html = $3
        where source_id = $2 and article_id = $1 and full_text_html is distinct from $3 returning 1
     )
     update article set full_text_rev = $4::bigint + 1
      where source_id = $2 and id = $1 and (exists (select from kept) or full_text_rev > $4)
     returning 1`,
    [articleId, sourceId, html, rev],
  );
  return changed.length > 0;
}

/** Makes the next revision of a locked source, and announces it if any follower is watched. */
export async function publishRevision(tx: SqlRunner, sourceId: number): Promise<void> {
  await tx.query(
    `with moved as (update source set rev = rev + 1 where id = $1 returning id)
     select ${announcingSource('moved.id')} from moved`,
    [sourceId],
  );
}

/** @param retryInSeconds null is never */
export async function countFailure(
  runner: SqlRunner,
  { articleId, token }: PageLease,
  retryInSeconds: number | null,
): Promise<void> {
  await runner.query(
    `update full_text_page
        set due_at = now() + make_interval(secs => $3::float8), failures = failures + 1,
            lease_token = null
      where article_id = $1 and lease_token = $2`,
    [articleId, token, retryInSeconds],
  );
}

export async function returnPage(
  runner: SqlRunner,
  { articleId, token }: PageLease,
): Promise<void> {
  await runner.query(
    `update full_text_page set due_at = now(), lease_token = null
      where article_id = $1 and lease_token = $2`,
    [articleId, token],
  );
}
