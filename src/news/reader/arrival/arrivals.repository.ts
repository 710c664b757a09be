import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import type { RowOf } from '../../../database/select-list.js';
import type { QueriedArticle } from '../../query/query.js';
import type { Arrival } from '../../sources/articles/arrivals.js';
import { QUERIED_COLUMNS, queriedText, toQueriedArticle } from '../items/queried-article.js';

/** The view of an article that no user has. */
const NOBODYS = {
  feedId: 0,
  folderId: null,
  labelIds: [],
  unread: true,
  starred: false,
  filtered: false,
  duplicate: false,
  highlighted: false,
};

/** What was published longer before its arrival is not told. */
const TOLD_FOR_SECONDS = 48 * 3600;

/** Few enough that their bodies take little memory. */
const ARTICLES_AT_A_TIME = 50;

/** An early reader who follows a source. */
export interface EarlyFollower {
  readonly readerId: number;
  readonly subscriptionId: number;
  readonly folderId: number | null;
  readonly showsFullText: boolean;
  /** Whether it is early for its rules alone. */
  readonly onlyTells: boolean;
  /** See `EarlyReaderEntity`. */
  readonly rulesRev: number;
}

/** An article as its publisher has it; with its full text apart, if there is one. */
export interface ArrivedArticle {
  readonly published: QueriedArticle;
  readonly inFull: QueriedArticle | null;
}

/** Articles that arrived, and the early readers who follow their source. */
@Injectable()
export class ArrivalsRepository {
  constructor(private readonly database: Database) {}

  /**
   * By reader id. One value: thousands of them are read in a few milliseconds.
   *
   * @param afterId the last id of the former page
   */
  async followers(sourceId: number, afterId: number, limit: number): Promise<EarlyFollower[]> {
    const [row] = await this.database.query<{ followers: readonly FollowerColumns[] }>(
      `select coalesce(json_agg(json_build_array(reader_id, subscription_id, folder_id, full_text,
                                                 only_tells, rules_rev) order by reader_id), '[]') as followers
         from (select follower.reader_id, follower.subscription_id, follower.folder_id, follower.full_text,
                      early.tells and not (early.automates or early.digests
                                           or exists (select 1 from apps_listening)) as only_tells,
                      early.rules_rev
                 from follower left join early_reader early on early.reader_id = follower.reader_id
                where follower.source_id = $1 and follower.deleted_at is null
                  and follower.reader_id > $2
                  and (early.tells or early.automates or early.digests
                       or exists (select 1 from apps_listening))
                order by follower.reader_id limit $3) found`,
      [sourceId, afterId, limit],
    );
    return (row?.followers ?? []).map(
      ([readerId, subscriptionId, folderId, showsFullText, onlyTells, rulesRev]) => ({
        readerId,
        subscriptionId,
        folderId,
        showsFullText,
        onlyTells: onlyTells === true,
        rulesRev: rulesRev ?? 0,
      }),
    );
  }

  /**
   * What may be told of an arrival: new articles, or those whose full text is new, that are not old.
   *
   * @param withTexts whether their bodies are read
   */
  async *articles(
    { sourceId, sinceRev, rev, storedAtMs }: Arrival,
    withTexts: boolean,
  ): AsyncGenerator<ArrivedArticle> {
    const sinceSeconds = Math.floor(storedAtMs / 1000) - TOLD_FOR_SECONDS;
    let rows: readonly ArticleRow[] = [];
    let belowId = Number.MAX_SAFE_INTEGER;
    do {
      rows = await this.database.query<ArticleRow>(ARTICLES(withTexts), [
        sourceId,
        sinceRev,
        rev,
        sinceSeconds,
        belowId,
      ]);
      belowId = rows.at(-1)?.id ?? 0;
      yield* rows.map((row) => toArrived(row));
    } while (rows.length === ARTICLES_AT_A_TIME);
  }
}

const ARTICLES = (withTexts: boolean) => `
  select article.id, ${QUERIED_COLUMNS}, pub_date_seconds as "publishedSeconds",
         ${withTexts ? 'html' : 'null'} as html,
         ${withTexts ? 'full_text_html' : 'null'} as "fullTextHtml"
    from article
    left join article_body body on body.source_id = article.source_id and body.article_id = article.id
   where article.source_id = $1 and pub_date_seconds > $4 and article.id < $5
     and ((article.rev > $2 and first_rev > $2 and first_rev <= $3)
          or (full_text_rev > $2 and full_text_rev <= $3))
   order by article.id desc limit ${ARTICLES_AT_A_TIME}`;

/** As nobody sees it: no reader has it yet. */
function toArrived({
  html,
  fullTextHtml,
  publishedSeconds,
  ...article
}: ArticleRow): ArrivedArticle {
  const withText = (of: string | null) => {
    let text: string | undefined;
    return toQueriedArticle(
      article,
      { ...NOBODYS, publishedSeconds, arrivedSeconds: publishedSeconds },
      () => (text ??= queriedText(of ?? '')),
    );
  };
  return {
    published: withText(html),
    inFull: fullTextHtml === null ? null : withText(fullTextHtml),
  };
}

type FollowerColumns = readonly [number, number, number | null, boolean, boolean | null, number];

type ArticleRow = RowOf<typeof QUERIED_COLUMNS> & {
  readonly id: number;
  readonly publishedSeconds: number;
  readonly html: string | null;
  readonly fullTextHtml: string | null;
};
