import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../database/database.js';

export type AssistanceKind = 'translation' | 'summary' | 'topics' | 'headline' | 'transcript';

/** What became of an article: a text, or with a translation its title and HTML. */
export type AssistanceResult =
  | { readonly text: string }
  | {
      readonly title: string;
      readonly body: string;
      /** Null when it was to be found out and nobody said. */
      readonly from: string | null;
      readonly to: string;
    };

/** A request for help with an article, which all who have the article share. */
export interface Assistance {
  readonly id: number;
  readonly kind: AssistanceKind;
  readonly state: 'running' | 'done' | 'failed';
  readonly result: AssistanceResult | null;
  /** Fit to be shown; null unless it failed. */
  readonly error: string | null;
  readonly startedSeconds: number;
}

/** What tells one request about an article from another. */
export interface AssistanceKey {
  readonly articleId: number;
  readonly kind: AssistanceKind;
  /** `from>to`, with an empty `from` where it is to be found out; empty for other kinds. */
  readonly languages: string;
  readonly fullText: boolean;
}

/** What external apps are given of an article. */
export interface ArticleText {
  readonly articleId: number;
  readonly title: string | null;
  readonly url: string | null;
  readonly html: string;
  /** Whether `html` is the text of the article's page. */
  readonly fullText: boolean;
  readonly enclosureLink: string | null;
  readonly enclosureMime: string | null;
}

/** A request that is to be carried out, and for whom. */
export type AssistanceTask = AssistanceKey & { readonly id: number; readonly userId: string };

const COLUMNS = `id, kind, state, result, error,
  extract(epoch from started_at)::bigint as "startedSeconds"`;

/** What external apps made of articles, and what they are at. */
@Injectable()
export class AssistanceRepository {
  constructor(private readonly database: Database) {}

  /** The article of one of the reader's items as that reader sees it. */
  async articleOf(readerId: number, itemId: number): Promise<ArticleText | null> {
    const [article] = await this.database.query<ArticleText>(
      `select article.id as "articleId", article.title, article.url,
              s.full_text and body.full_text_html is not null as "fullText",
              coalesce(case when s.full_text then body.full_text_html end, body.html, '') as html,
              article.enclosure_link as "enclosureLink", article.enclosure_mime as "enclosureMime"
         from item
         join subscription s on s.id = item.subscription_id
         join article on article.id = item.article_id
         left join article_body body on body.article_id = article.id
        where item.reader_id = $1 and item.id = $2 and s.deleted_at is null`,
      [readerId, itemId],
    );
    return article ?? null;
  }

  /** The same without asking for an owner: for work that was asked for by one. */
  async article(articleId: number, fullText: boolean): Promise<ArticleText | null> {
    const [article] = await this.database.query<ArticleText>(
      `select article.id as "articleId", article.title, article.url, $2::boolean as "fullText",
              coalesce(case when $2 then body.full_text_html end, body.html, '') as html,
              article.enclosure_link as "enclosureLink", article.enclosure_mime as "enclosureMime"
         from article left join article_body body on body.article_id = article.id
        where article.id = $1`,
      [articleId, fullText],
    );
    return article ?? null;
  }

  /** A request about the article, whoever asked for it. */
  async find(articleId: number, id: number): Promise<Assistance | null> {
    const [row] = await this.database.query<Assistance>(
      `select ${COLUMNS} from article_assistance where article_id = $1 and id = $2`,
      [articleId, id],
    );
    return row ?? null;
  }

  /**
   * The request of this key that need not be made again: it is at work, or it was made of the same
   * input.
   */
  async usable(key: AssistanceKey, inputHash: Buffer): Promise<Assistance | null> {
    const [row] = await this.database.query<Assistance>(
      `select ${COLUMNS} from article_assistance assistance
        where article_id = $1 and kind = $2 and languages = $3 and full_text = $4
          and not (${IS_OUTDATED})`,
      [key.articleId, key.kind, key.languages, key.fullText, inputHash],
    );
    return row ?? null;
  }

  /** @returns the id of the new request, or null when one that is usable came first */
  async begin(
    tx: SqlRunner,
    key: AssistanceKey,
    inputHash: Buffer,
    userId: string,
  ): Promise<number | null> {
    const [row] = await tx.query<{ id: number }>(
      `insert into article_assistance as assistance
              (article_id, kind, languages, full_text, input_hash, user_id)
       values ($1, $2, $3, $4, $5, $6)
       on conflict (article_id, kind, languages, full_text) do update
          set state = 'running', input_hash = excluded.input_hash, user_id = excluded.user_id,
              result = null, error = null, started_at = now(), finished_at = null
        where ${IS_OUTDATED}
       returning id`,
      [key.articleId, key.kind, key.languages, key.fullText, inputHash, userId],
    );
    return row?.id ?? null;
  }

  /** How many requests are at work for a user. */
  async running(userId: string): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      'select count(*)::int as count from article_assistance where user_id = $1',
      [userId],
    );
    return row?.count ?? 0;
  }

  /** @returns null when it is finished, or gone with its article or user */
  async task(id: number): Promise<AssistanceTask | null> {
    const [task] = await this.database.query<AssistanceTask>(
      `select id, article_id as "articleId", kind, languages, full_text as "fullText",
              user_id as "userId"
         from article_assistance where id = $1 and state = 'running' and user_id is not null`,
      [id],
    );
    return task ?? null;
  }

  /** @param inputHash of what it was really made of */
  async finish(id: number, result: AssistanceResult, inputHash: Buffer): Promise<void> {
    await this.database.query(
      `update article_assistance
          set state = 'done', result = $2, input_hash = $3, user_id = null, finished_at = now()
        where id = $1 and state = 'running'`,
      [id, JSON.stringify(result), inputHash],
    );
  }

  async fail(id: number, error: string): Promise<void> {
    await this.database.query(
      `update article_assistance
          set state = 'failed', error = $2, user_id = null, finished_at = now()
        where id = $1 and state = 'running'`,
      [id, error],
    );
  }

  /** What is at work for a user; what is finished belongs to nobody. */
  async removeOfUser(userId: string): Promise<void> {
    await this.database.query('delete from article_assistance where user_id = $1', [userId]);
  }

  /** Rides on article_assistance_finished_at_index. */
  async forgetFinishedBefore(days: number): Promise<void> {
    await this.database.query(
      'delete from article_assistance where finished_at < now() - make_interval(days => $1)',
      [days],
    );
  }
}

/** Longer than any attempt at it may take: whoever was at it will not come back. */
const LOST_AFTER_HOURS = 6;

/** Of a request by the name `assistance`, where `$5` is what it would be made of now. */
const IS_OUTDATED = `assistance.state = 'failed'
  or (assistance.state = 'done' and assistance.input_hash <> $5)
  or (assistance.state = 'running' and assistance.started_at < now() - interval '${LOST_AFTER_HOURS} hours')`;
