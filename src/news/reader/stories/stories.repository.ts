import { Injectable } from '@nestjs/common';
import { STORIES_LOCK } from '../../../common/advisory-locks.js';
import { Database, type SqlRunner } from '../../../database/database.js';
import { prepared } from '../../../database/prepared.js';
import { selectList } from '../../../database/select-list.js';
import type { Arrival } from '../../sources/articles/arrivals.js';
import type { StoryArticle } from '../../story/story-signature.js';
import type { StoryMember } from './join-stories.js';
import { ArticleStoryEntity } from './story.entities.js';

/** Articles are compared with those that came within this time. */
export const COMPARED_HOURS = 72;

/** Stories of older articles are forgotten. */
const KEPT_DAYS = 30;

/** More articles under one key are no evidence. */
const MOST_UNDER_A_KEY = 50;

/** Articles that one is compared with: those with the most keys in common. */
const MOST_COMPARED = 50;

/** Characters of HTML that are looked at. */
const MOST_CHARACTERS = 12_000;

/** Articles of a source that are looked at when stories are switched on. */
const MOST_RECENT = 200;

const ROWS_PER_REMOVAL = 10_000;

const MEMBER = selectList(ArticleStoryEntity, 'member', [
  'articleId',
  'sourceId',
  'storyId',
  'how',
  'score',
]);

export interface SignedArticle {
  readonly articleId: number;
  readonly signature: Buffer;
  readonly keys: readonly bigint[];
}

/** A reader who may have several articles of a story. */
export interface StoryReader {
  readonly readerId: number;
  readonly storyIds: readonly number[];
}

/** The articles of the stories of others. */
export const STORIES_OF = prepared(
  'stories-of',
  `select ${MEMBER} from article_story member
    where member.story_id in (select story_id from article_story where article_id = any($1::bigint[]))`,
);

const since = (hours: string) => `now() - make_interval(hours => ${hours})`;

/** Articles, what they are compared by, and the stories that they have in common. Beside the sources. */
@Injectable()
export class StoriesRepository {
  constructor(private readonly database: Database) {}

  /** The new articles of an arrival that are not old; none if no reader of the source wants each story once. */
  async arrived({ sourceId, sinceRev, rev, storedAtMs }: Arrival): Promise<number[]> {
    const wanted = await this.database.query(
      `select 1 from early_reader early
         join follower on follower.reader_id = early.reader_id
        where early.stories and follower.source_id = $1 and follower.deleted_at is null limit 1`,
      [sourceId],
    );
    if (wanted.length === 0) {
      return [];
    }
    const oldest = Math.floor(storedAtMs / 1000) - COMPARED_HOURS * 3600;
    const rows = await this.database.query<{ id: number }>(
      `select id from article
        where source_id = $1 and rev > $2 and first_rev > $2 and first_rev <= $3 and pub_date_seconds > $4
        order by id`,
      [sourceId, sinceRev, rev, oldest],
    );
    return rows.map(({ id }) => id);
  }

  /** The latest articles of a source; those without a signature among them apart. */
  async recent(sourceId: number): Promise<{ readonly ids: number[]; readonly unsigned: number[] }> {
    const rows = await this.database.query<{ id: number }>(
      `select id from (select id, fetched_at, pub_date_seconds from article
                        where source_id = $1 order by rev desc limit ${MOST_RECENT}) latest
        where fetched_at > ${since('$2')}
          and pub_date_seconds > extract(epoch from ${since('$2')})
        order by id`,
      [sourceId, COMPARED_HOURS],
    );
    const ids = rows.map(({ id }) => id);
    const signed = await this.database.query<{ id: number }>(
      'select article_id as id from story_signature where article_id = any($1::bigint[])',
      [ids],
    );
    const known = new Set(signed.map(({ id }) => id));
    return { ids, unsigned: ids.filter((id) => !known.has(id)) };
  }

  async read(
    sourceId: number,
    articleIds: readonly number[],
  ): Promise<(StoryArticle & { readonly articleId: number })[]> {
    return this.database.query(
      `select article.id as "articleId", coalesce(title, '') as title, url,
              coalesce(left(html, ${MOST_CHARACTERS}), '') as html, pub_date_seconds as "publishedSeconds"
         from article
         left join article_body body on body.source_id = article.source_id and body.article_id = article.id
        where article.source_id = $1 and article.id = any($2::bigint[])
        order by article.id`,
      [sourceId, articleIds],
    );
  }

  /** Has articles found by others. Must be committed before `candidates` is asked. */
  async sign(sourceId: number, articles: readonly SignedArticle[]): Promise<void> {
    const keys = articles.flatMap(({ articleId, keys }) =>
      keys.map((key) => ({ articleId, key: String(key) })),
    );
    await this.database.query(
      `with signed as (
         insert into story_signature (article_id, source_id, signature)
         select article_id, $1, signature
           from unnest($2::bigint[], $3::bytea[]) as given (article_id, signature)
         on conflict do nothing
       )
       insert into story_key (key, article_id)
       select key, article_id from unnest($4::bigint[], $5::bigint[]) as given (key, article_id)
        order by key
       on conflict do nothing`,
      [
        sourceId,
        articles.map(({ articleId }) => articleId),
        articles.map(({ signature }) => signature),
        keys.map(({ key }) => key),
        keys.map(({ articleId }) => articleId),
      ],
    );
  }

  /** Pairs of these articles with others that have keys in common. */
  async candidates(
    articles: readonly Pick<SignedArticle, 'articleId' | 'keys'>[],
  ): Promise<{ articleId: number; otherId: number }[]> {
    const keys = articles.flatMap(({ articleId, keys }) =>
      keys.map((key) => ({ articleId, key: String(key) })),
    );
    return this.database.query(
      `with wanted as materialized (
         select key, article_id from unnest($1::bigint[], $2::bigint[]) as given (key, article_id)
       ), under as materialized (
         select wanted.key, array_agg(found.article_id) as article_ids
           from (select distinct key from wanted) wanted
          cross join lateral (
            select article_id from story_key
             where story_key.key = wanted.key and at > ${since('$3')}
             limit ${MOST_UNDER_A_KEY + 1}) found
          group by wanted.key having count(*) between 2 and ${MOST_UNDER_A_KEY}
       ), pair as (
         select wanted.article_id, other.id as other_id,
                row_number() over (partition by wanted.article_id
                                       order by count(*) desc, other.id desc) as place
           from wanted join under using (key)
          cross join unnest(under.article_ids) as other (id)
          where other.id <> wanted.article_id
          group by wanted.article_id, other.id
       )
       select article_id as "articleId", other_id as "otherId" from pair where place <= ${MOST_COMPARED}`,
      [keys.map(({ key }) => key), keys.map(({ articleId }) => articleId), COMPARED_HOURS],
    );
  }

  async signatures(
    articleIds: readonly number[],
  ): Promise<{ articleId: number; sourceId: number; signature: Buffer }[]> {
    return this.database.query(
      `select article_id as "articleId", source_id as "sourceId", signature
         from story_signature where article_id = any($1::bigint[])`,
      [articleIds],
    );
  }

  /**
   * Changes stories, one transaction after the other.
   *
   * @param articleIds whose stories `work` gets, and may change
   * @param work returns new and changed members
   */
  async change(
    articleIds: readonly number[],
    work: (known: readonly StoryMember[]) => readonly StoryMember[],
    then: (storyIds: readonly number[], tx: SqlRunner) => Promise<void>,
  ): Promise<void> {
    await this.database.transaction(async (tx) => {
      await tx.query('select pg_advisory_xact_lock($1)', [STORIES_LOCK]);
      const members = work(await tx.query<StoryMember>(STORIES_OF, [articleIds]));
      if (members.length === 0) {
        return;
      }
      await tx.query(
        `insert into article_story (article_id, source_id, story_id, how, score)
         select * from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::real[])
         on conflict (article_id) do update set story_id = excluded.story_id`,
        [
          members.map(({ articleId }) => articleId),
          members.map(({ sourceId }) => sourceId),
          members.map(({ storyId }) => storyId),
          members.map(({ how }) => how),
          members.map(({ score }) => score),
        ],
      );
      await then([...new Set(members.map(({ storyId }) => storyId))], tx);
    });
  }

  /** All articles of the stories of these ones. */
  async storiesOf(
    articleIds: readonly number[],
    runner: SqlRunner = this.database,
  ): Promise<StoryMember[]> {
    return runner.query<StoryMember>(STORIES_OF, [articleIds]);
  }

  async articlesOf(storyIds: readonly number[]): Promise<StoryMember[]> {
    return this.database.query<StoryMember>(
      `select ${MEMBER} from article_story member where member.story_id = any($1::bigint[])`,
      [storyIds],
    );
  }

  /** Readers with the switch on who follow what has two articles of a story, by id. */
  async readersOf(
    articles: readonly Pick<StoryMember, 'storyId' | 'sourceId'>[],
    afterReaderId: number,
    limit: number,
  ): Promise<StoryReader[]> {
    return this.database.query(
      `select reader_id as "readerId", json_agg(story_id) as "storyIds"
         from (select follower.reader_id, told.story_id
                 from unnest($1::bigint[], $2::bigint[]) as told (story_id, source_id)
                 join follower on follower.source_id = told.source_id and follower.deleted_at is null
                 join early_reader early on early.reader_id = follower.reader_id and early.stories
                where follower.reader_id > $3
                group by follower.reader_id, told.story_id having count(*) > 1) found
        group by reader_id order by reader_id limit $4`,
      [
        articles.map(({ storyId }) => storyId),
        articles.map(({ sourceId }) => sourceId),
        afterReaderId,
        limit,
      ],
    );
  }

  /** Removes what is compared no more, and old stories. */
  async forgetOld(): Promise<void> {
    const tables = [
      ['story_key', COMPARED_HOURS],
      ['story_signature', COMPARED_HOURS],
      ['article_story', KEPT_DAYS * 24],
    ] as const;
    for (const [table, hours] of tables) {
      for (let removed = ROWS_PER_REMOVAL; removed === ROWS_PER_REMOVAL;) {
        const [row] = await this.database.query<{ removed: number }>(
          `with gone as (
             delete from ${table} where ctid = any(array(
               select ctid from ${table} where at < ${since('$1')} limit $2)) returning 1)
           select count(*)::int as removed from gone`,
          [hours, ROWS_PER_REMOVAL],
        );
        removed = row?.removed ?? 0;
      }
    }
  }
}
