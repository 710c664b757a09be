import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import type { RuleScope } from '../../tables/rule.entity.js';
import { SearchIndexRepository } from '../search/search-index.repository.js';
import { matchingArticles } from '../search/search.sql.js';
import { IS_UNTOUCHED } from './rule-effects.repository.js';

/** An item that a rule may look at. */
export interface Candidate {
  readonly itemId: number;
  readonly feedId: number;
  readonly articleId: number;
  readonly arrivedMicros: number;
  readonly dateSeconds: number;
}

export type UnreadCandidate = Candidate & { readonly mayBeMarked: boolean };

const CANDIDATE = `item.id as "itemId", item.subscription_id as "feedId", item.article_id as "articleId",
  item.arrived_micros as "arrivedMicros", item.date_seconds as "dateSeconds"`;

/** Words that are looked for as parts of others, each as a pattern: as many as a condition may have. */
export const MOST_PARTS = 50;

/** With more, looking at all of the user's items is as quick. */
const MOST_PRESELECTED = 20_000;

/** A condition on `item`; the reader is `$1`, the scope `$2` to `$6`. */
const IN_SCOPE = `item.subscription_id in (
  select s.id from subscription s
   where s.reader_id = $1 and s.deleted_at is null
     and ($2 or s.id = any($3::bigint[]) or s.folder_id = any($4::bigint[]))
     and s.id <> all($5::bigint[]) and coalesce(s.folder_id, 0) <> all($6::bigint[]))`;

const ofScope = (readerId: number, scope: RuleScope) => [
  readerId,
  scope.everything,
  scope.feedIds,
  scope.folderIds,
  scope.exceptFeedIds,
  scope.exceptFolderIds,
];

/** Items that are there, for rules that are tried, applied, or for the clock. */
@Injectable()
export class RuleCandidatesRepository {
  constructor(
    private readonly database: Database,
    private readonly index: SearchIndexRepository,
  ) {}

  /** The newest items of a scope, newest first. @param beforeId exclusive; null begins with the newest */
  async newest(
    readerId: number,
    scope: RuleScope,
    limit: number,
    beforeId: number | null = null,
  ): Promise<Candidate[]> {
    return this.database.query<Candidate>(
      `select ${CANDIDATE} from item where item.reader_id = $1 and item.id < $8 and ${IN_SCOPE}
        order by item.id desc limit $7`,
      [...ofScope(readerId, scope), limit, beforeId ?? Number.MAX_SAFE_INTEGER],
    );
  }

  /** The newest unread items of a scope, newest first, by item_unread_index. */
  async unread(readerId: number, scope: RuleScope, limit: number): Promise<UnreadCandidate[]> {
    return this.database.query<UnreadCandidate>(
      `select ${CANDIDATE}, not item.starred and ${IS_UNTOUCHED} as "mayBeMarked"
         from item where item.reader_id = $1 and item.unread and ${IN_SCOPE}
        order by item.id desc limit $7`,
      [...ofScope(readerId, scope), limit],
    );
  }

  /**
   * Articles of anyone that may match a condition of words, by the search index; null if these are too many, or
   * if no word must be there.
   */
  async preselected(readerId: number, tokens: string | null): Promise<ReadonlySet<number> | null> {
    if (tokens === null) {
      return null;
    }
    const matches = await matchingArticles(this.database, tokens, MOST_PRESELECTED);
    const behind = await this.index.followedBehind(readerId);
    const pending = await this.index.pendingOf(behind, MOST_PRESELECTED);
    return Math.max(matches.length, pending.length) === MOST_PRESELECTED
      ? null
      : new Set([...matches, ...pending].map(({ articleId }) => articleId));
  }

  /** The articles of items whose title has any of the words, also as a part of another. */
  async withTitles(
    items: readonly Candidate[],
    words: readonly string[],
  ): Promise<ReadonlySet<number>> {
    if (words.length === 0 || words.length > MOST_PARTS) {
      return new Set();
    }
    const rows = await this.database.query<{ id: number }>(
      'select id from article where id = any($1::bigint[]) and title ilike any($2::text[])',
      [
        items.map(({ articleId }) => articleId),
        words.map((word) => `%${word.replace(/[%_\\]/g, String.raw`\$&`)}%`),
      ],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Of these articles, those that their publisher does not list any more. */
  async unlisted(articleIds: readonly number[]): Promise<ReadonlySet<number>> {
    const rows = await this.database.query<{ id: number }>(
      'select id from article where id = any($1::bigint[]) and unlisted_rev > 0',
      [articleIds],
    );
    return new Set(rows.map(({ id }) => id));
  }
}
