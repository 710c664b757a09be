import { sql } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { AccountDeletionHooks } from '../../common/ports/hooks.js';
import { Database, type SqlRunner, type Transaction } from '../../database/database.js';
import { selectList, type RowOf } from '../../database/select-list.js';
import { findArticleOfItem } from '../article/article.repository.js';
import { ArticleEntity } from '../tables/article.entity.js';
import { ArticleAssistanceEntity, type AssistanceResult } from '../tables/assistance.entity.js';

export type { AssistanceKind, AssistanceResult } from '../tables/assistance.entity.js';
/** A running request, and the user for whom it runs. */
export type AssistanceTask = AssistanceKey & { readonly id: number; readonly userId: string };

type Outcome =
  | { readonly state: 'done'; readonly result: AssistanceResult; readonly inputHash: Buffer }
  | { readonly state: 'failed'; readonly error: string };

const ARTICLE = selectList(ArticleEntity, 'article', [
  'title',
  'url',
  'enclosureLink',
  'enclosureMime',
]);

const TEXT = `${ARTICLE}, article.id as "articleId", article.source_id as "sourceId"`;

const ARTICLE_WITH_BODY = `article
       left join article_body body on body.source_id = article.source_id
                                  and body.article_id = article.id`;

const REQUEST = selectList(ArticleAssistanceEntity, 'request', [
  'id',
  'kind',
  'state',
  'progress',
  'result',
  'error',
]);

const STARTED = `extract(epoch from request.started_at)::bigint as "startedSeconds"`;

/** A request about an article, shared by all who have the article. */
export type Assistance = RowOf<typeof REQUEST> & { readonly startedSeconds: number };

/** The lookup key of a request: one row each. The source is the article's. */
export type AssistanceKey = Readonly<
  Pick<ArticleAssistanceEntity, 'articleId' | 'sourceId' | 'kind' | 'languages' | 'fullText'>
>;

/** The part of an article that external apps receive. */
export type ArticleText = RowOf<typeof ARTICLE> & {
  readonly articleId: number;
  readonly sourceId: number;
  readonly html: string;
  /** Whether `html` is the full text. */
  readonly fullText: boolean;
};

/** Exceeds any attempt: the process that ran it has ended. */
const LOST_AFTER_HOURS = 6;

/** A condition on `request`. @param inputHash SQL of the hash of the current input */
const isOutdated = (inputHash: string) => `request.state = 'failed'
  or (request.state = 'done' and request.input_hash <> ${inputHash})
  or (request.state = 'running' and request.started_at < now() - interval '${LOST_AFTER_HOURS} hours')`;

/** Requests to external apps about articles, and their results. */
@Injectable()
export class AssistanceRepository {
  constructor(
    private readonly database: Database,
    deletionHooks: AccountDeletionHooks,
  ) {
    // Running requests; results have no owner.
    deletionHooks.add(async (userId) => {
      await database.entities((em) => em.nativeDelete(ArticleAssistanceEntity, { userId }));
    });
  }

  /** The article of one of the user's items, as that user sees it. */
  async articleOf(readerId: number, itemId: number, tx?: SqlRunner): Promise<ArticleText | null> {
    const runner = tx ?? this.database;
    const article = await findArticleOfItem(readerId, itemId, runner);
    if (article === undefined) {
      return null;
    }
    const { articleId, sourceIds, wantsFullText } = article;
    const [text] = await runner.query<ArticleText>(
      `select ${TEXT},
              $3::boolean and body.full_text_html is not null as "fullText",
              coalesce(case when $3 then body.full_text_html end, body.html, '') as html
         from ${ARTICLE_WITH_BODY}
        where article.source_id = any($1::bigint[]) and article.id = $2`,
      [sourceIds, articleId, wantsFullText],
    );
    return text ?? null;
  }

  /** An article regardless of who has it, for a request that was accepted already. */
  async article(
    { articleId, sourceId }: Pick<AssistanceKey, 'articleId' | 'sourceId'>,
    fullText: boolean,
  ): Promise<ArticleText | null> {
    const [article] = await this.database.query<ArticleText>(
      `select ${TEXT}, $3::boolean as "fullText",
              coalesce(case when $3 then body.full_text_html end, body.html, '') as html
         from ${ARTICLE_WITH_BODY}
        where article.source_id = $1 and article.id = $2`,
      [sourceId, articleId, fullText],
    );
    return article ?? null;
  }

  /** A request about the article, of any user. */
  async find(articleId: number, id: number): Promise<Assistance | null> {
    const [row] = await this.database.query<Assistance>(
      `select ${REQUEST}, ${STARTED} from article_assistance request
        where article_id = $1 and id = $2`,
      [articleId, id],
    );
    return row ?? null;
  }

  /** A request of this key that need not be repeated: it is running, or was made from the same input. */
  async usable(
    { articleId, kind, languages, fullText }: AssistanceKey,
    inputHash: Buffer,
  ): Promise<Assistance | null> {
    const [row] = await this.database.query<Assistance>(
      `select ${REQUEST}, ${STARTED} from article_assistance request
        where article_id = $1 and kind = $2 and languages = $3 and full_text = $4
          and not (${isOutdated('$5')})`,
      [articleId, kind, languages, fullText, inputHash],
    );
    return row ?? null;
  }

  /** The wanted requests, in order, without any that is running or was made from the same input. */
  async missing<Wanted extends { readonly key: AssistanceKey; readonly hash: Buffer }>(
    wanted: readonly Wanted[],
    tx: SqlRunner,
  ): Promise<Wanted[]> {
    if (wanted.length === 0) {
      return [];
    }
    const rows = await tx.query<{ place: number }>(
      `select (place - 1)::int as place
         from unnest($1::bigint[], $2::text[], $3::text[], $4::boolean[], $5::text[]) with ordinality
              as wanted (article_id, kind, languages, full_text, input_hash, place)
        where not exists (
          select 1 from article_assistance request
           where request.article_id = wanted.article_id and request.kind = wanted.kind
             and request.languages = wanted.languages and request.full_text = wanted.full_text
             and not (${isOutdated(`decode(wanted.input_hash, 'hex')`)}))
        order by place`,
      [
        wanted.map(({ key }) => key.articleId),
        wanted.map(({ key }) => key.kind),
        wanted.map(({ key }) => key.languages),
        wanted.map(({ key }) => key.fullText),
        wanted.map(({ hash }) => hash.toString('hex')),
      ],
    );
    return rows.flatMap(({ place }) => wanted[place] ?? []);
  }

  /**
   * Creates the request or restarts an outdated one.
   *
   * @param automatic started without a request of the user
   * @returns its id, or null when a usable one exists
   */
  async begin(
    { articleId, sourceId, kind, languages, fullText }: AssistanceKey,
    inputHash: Buffer,
    userId: string,
    automatic: boolean,
    tx: SqlRunner,
  ): Promise<number | null> {
    const [row] = await tx.query<{ id: number }>(
      `insert into article_assistance as request
              (article_id, kind, languages, full_text, input_hash, user_id, automatic, source_id)
       values ($1, $2, $3, $4, $5, $6, $7, $8)
       on conflict (article_id, kind, languages, full_text) do update
          set state = 'running', input_hash = excluded.input_hash, user_id = excluded.user_id,
              automatic = excluded.automatic,
              progress = null, result = null, error = null, started_at = now(), finished_at = null
        where ${isOutdated('$5')}
       returning id`,
      [articleId, kind, languages, fullText, inputHash, userId, automatic, sourceId],
    );
    return row?.id ?? null;
  }

  /** As `begin`, outside of a transaction, without a request of the user. */
  async beginNow(key: AssistanceKey, inputHash: Buffer, userId: string): Promise<number | null> {
    return this.begin(key, inputHash, userId, true, this.database);
  }

  /** Number of the user's running requests. */
  async running(userId: string): Promise<number> {
    return this.database.entities((em) =>
      em.count(ArticleAssistanceEntity, { userId, automatic: false }),
    );
  }

  /** Removes running requests, as if they had not been made. */
  async forget(ids: readonly number[]): Promise<void> {
    await this.database.entities((em) =>
      em.nativeDelete(ArticleAssistanceEntity, { id: { $in: [...ids] }, state: 'running' }),
    );
  }

  /** @returns null when it is finished, or was removed with its article or user */
  async task(id: number): Promise<AssistanceTask | null> {
    const task = await this.database.entities((em) =>
      em.findOne(
        ArticleAssistanceEntity,
        { id, state: 'running' },
        { fields: ['articleId', 'sourceId', 'kind', 'languages', 'fullText', 'userId'] },
      ),
    );
    if (task === null || task.userId === null) {
      return null;
    }
    const { articleId, sourceId, kind, languages, fullText, userId } = task;
    return { id, articleId, sourceId, kind, languages, fullText, userId };
  }

  /** @param progress per cent */
  async recordProgress(id: number, progress: number): Promise<void> {
    await this.database.entities((em) =>
      em.nativeUpdate(ArticleAssistanceEntity, { id, state: 'running' }, { progress }),
    );
  }

  /**
   * Ends a running request that the user made.
   *
   * @param error for other waiting users
   * @returns false if there is none
   */
  async cancel(userId: string, id: number, error: string, tx: Transaction): Promise<boolean> {
    const changed = await tx.em.nativeUpdate(
      ArticleAssistanceEntity,
      { id, userId, state: 'running' },
      { state: 'failed', error, userId: null, finishedAt: sql.now() },
    );
    return changed > 0;
  }

  /** @param inputHash of the input that was really used */
  async finish(id: number, result: AssistanceResult, inputHash: Buffer): Promise<void> {
    await this.#end(id, { state: 'done', result, inputHash });
  }

  /** @param error a message for the user */
  async fail(id: number, error: string): Promise<void> {
    await this.#end(id, { state: 'failed', error });
  }

  /** Uses article_assistance_finished_at_index. */
  async forgetFinishedBefore(days: number): Promise<void> {
    await this.database.query(
      'delete from article_assistance where finished_at < now() - make_interval(days => $1)',
      [days],
    );
  }

  async #end(id: number, outcome: Outcome): Promise<void> {
    await this.database.entities((em) =>
      em.nativeUpdate(
        ArticleAssistanceEntity,
        { id, state: 'running' },
        { ...outcome, userId: null, finishedAt: sql.now() },
      ),
    );
  }
}
