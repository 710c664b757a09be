import type { SqlRunner } from '../../database/database.js';
import { selectList, type RowOf } from '../../database/select-list.js';
import { findArticleOfItem } from '../article/article-page/article-page.sql.js';
import { ArticleEntity } from '../sources/articles/article.entity.js';
import { ArticleAssistanceEntity } from './article-assistance.entity.js';

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
export type AssistanceRow = RowOf<typeof REQUEST> & { readonly startedSeconds: number };

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

/** The article of one of the user's items, as that user sees it. */
export async function findTextOfItem(
  runner: SqlRunner,
  readerId: number,
  itemId: number,
): Promise<ArticleText | null> {
  const article = await findArticleOfItem(runner, readerId, itemId);
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
export async function findArticle(
  runner: SqlRunner,
  { articleId, sourceId }: Pick<AssistanceKey, 'articleId' | 'sourceId'>,
  fullText: boolean,
): Promise<ArticleText | null> {
  const [article] = await runner.query<ArticleText>(
    `select ${TEXT}, $3::boolean as "fullText",
            coalesce(case when $3 then body.full_text_html end, body.html, '') as html
       from ${ARTICLE_WITH_BODY}
      where article.source_id = $1 and article.id = $2`,
    [sourceId, articleId, fullText],
  );
  return article ?? null;
}

export async function findRequest(
  runner: SqlRunner,
  articleId: number,
  id: number,
): Promise<AssistanceRow | null> {
  const [row] = await runner.query<AssistanceRow>(
    `select ${REQUEST}, ${STARTED} from article_assistance request
      where article_id = $1 and id = $2`,
    [articleId, id],
  );
  return row ?? null;
}

/** Longer than any attempt: the process that ran it has ended. */
const LOST_AFTER_HOURS = 6;

/** A condition on `request`. @param inputHash SQL of the hash of the current input */
const isOutdated = (inputHash: string) => `request.state = 'failed'
  or (request.state = 'done' and request.input_hash <> ${inputHash})
  or (request.state = 'running' and request.started_at < now() - interval '${LOST_AFTER_HOURS} hours')`;

/** A request of this key that is running, or was made from the same input. */
export async function findUsable(
  runner: SqlRunner,
  { articleId, kind, languages, fullText }: AssistanceKey,
  inputHash: Buffer,
): Promise<AssistanceRow | null> {
  const [row] = await runner.query<AssistanceRow>(
    `select ${REQUEST}, ${STARTED} from article_assistance request
      where article_id = $1 and kind = $2 and languages = $3 and full_text = $4
        and not (${isOutdated('$5')})`,
    [articleId, kind, languages, fullText, inputHash],
  );
  return row ?? null;
}

/** Places in `wanted`, from 0, of those without a request that is running or was made from the same input. */
export async function listMissing(
  runner: SqlRunner,
  wanted: readonly { readonly key: AssistanceKey; readonly hash: Buffer }[],
): Promise<number[]> {
  const rows = await runner.query<{ place: number }>(
    `select (place - 1)::int as place
       from unnest($1::bigint[], $2::text[], $3::text[], $4::boolean[], $5::text[]) with ordinality
            as wanted (article_id, kind, languages, full_text, input_hash, place)
      where not exists (
        select from article_assistance request
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
  return rows.map(({ place }) => place);
}

/** Creates the request or restarts an outdated one. @returns its id; null when it is usable */
export async function beginRequest(
  tx: SqlRunner,
  { articleId, sourceId, kind, languages, fullText }: AssistanceKey,
  inputHash: Buffer,
  userId: string,
  automatic: boolean,
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

/** By article_assistance_finished_at_index. */
export async function forgetFinished(runner: SqlRunner, days: number): Promise<void> {
  await runner.query(
    'delete from article_assistance where finished_at < now() - make_interval(days => $1)',
    [days],
  );
}
