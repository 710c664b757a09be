import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../database/database.js';
import { announceSomething } from '../../reader/delivery/announcements.sql.js';
import { choiceOf, translatedTitle } from '../../reader/items/automatic-results.sql.js';

export type AutomaticKind = 'title' | 'summary' | 'answer';

/** A feed or a folder of the user. */
export type Place =
  | { readonly feedId: number; readonly folderId?: never }
  | { readonly folderId: number; readonly feedId?: never };

/** Automatic tasks for new items of a feed or a folder; null inherits from the folder. */
export interface AutomaticChoice {
  /** The language that titles are translated to; empty: they are not. */
  readonly titlesTo: string | null;
  readonly summarise: boolean | null;
}

export type ChoiceOfPlace = AutomaticChoice & {
  /** Null for a folder. */
  readonly feedId: number | null;
  readonly folderId: number | null;
};

/** The locked row of a user's budget. */
export interface LockedBudget {
  readonly readerId: number;
  readonly isOn: boolean;
  readonly titlesDoneId: number;
  readonly summariesDoneId: number;
  /** Tasks of today. */
  readonly used: number;
}

/** A new item that a task is wanted for. */
export interface NewItem {
  readonly itemId: number;
  readonly articleId: number;
  readonly sourceId: number;
  readonly title: string;
  /** The language that a title is translated to. */
  readonly language: string;
}

const USED_TODAY = 'case when day = current_date then used else 0 end';

const FAILURES_BEFORE_PAUSE = 3;
const FIRST_PAUSE = `interval '5 minutes'`;
const LONGEST_PAUSE = `interval '6 hours'`;

/** Automatic tasks: users' choices, today's usage, and pauses. */
@Injectable()
export class AutomationRepository {
  constructor(private readonly database: Database) {}

  async choices(readerId: number): Promise<ChoiceOfPlace[]> {
    return this.database.query<ChoiceOfPlace>(
      `select subscription_id as "feedId", folder_id as "folderId", titles_to as "titlesTo", summarise
         from automatic_choice where reader_id = $1 order by id`,
      [readerId],
    );
  }

  /** Languages that a user wants titles in, sorted. */
  async languages(readerId: number): Promise<string[]> {
    const choices = await this.choices(readerId);
    return [...new Set(choices.flatMap(({ titlesTo }) => titlesTo || []))].toSorted();
  }

  /**
   * Newly enabled tasks start with the items from `nextItemId` on.
   *
   * @returns whether any task is switched on
   */
  async choose(
    { id: readerId, nextItemId }: { readonly id: number; readonly nextItemId: number },
    { feedId, folderId }: Place,
    { titlesTo, summarise }: AutomaticChoice,
    tx: SqlRunner,
  ): Promise<boolean> {
    const column = feedId === undefined ? 'folder_id' : 'subscription_id';
    await tx.query(
      `insert into automatic_choice as choice
              (reader_id, ${column}, titles_to, summarise, titles_from_id, summaries_from_id)
       values ($1, $2, $3, $4, $5, $5)
       on conflict (reader_id, ${column}) do update
          set titles_to = excluded.titles_to, summarise = excluded.summarise,
              titles_from_id = case when coalesce(choice.titles_to, '') = ''
                                    then excluded.titles_from_id else choice.titles_from_id end,
              summaries_from_id = case when coalesce(choice.summarise, false)
                                       then choice.summaries_from_id else excluded.summaries_from_id end`,
      [readerId, feedId ?? folderId, titlesTo, summarise, nextItemId],
    );
    await tx.query(
      `delete from automatic_choice
        where reader_id = $1 and titles_to is null and summarise is null`,
      [readerId],
    );
    const [automatic] = await tx.query<{ isOn: boolean }>(
      `insert into automatic_reader as automatic (reader_id, is_on)
       select $1, exists (select 1 from automatic_choice
                           where reader_id = $1 and (titles_to <> '' or summarise))
       on conflict (reader_id) do update set is_on = excluded.is_on returning is_on as "isOn"`,
      [readerId],
    );
    return automatic?.isOn === true;
  }

  /** @returns how many automatic tasks of today the user has used */
  async used(readerId: number): Promise<number> {
    const [row] = await this.database.query<{ used: number }>(
      `select ${USED_TODAY} as used from automatic_reader where reader_id = $1`,
      [readerId],
    );
    return row?.used ?? 0;
  }

  /** Waits for other plans of the user. @returns null for a user who never made a choice */
  async lockBudget(readerId: number, tx: SqlRunner): Promise<LockedBudget | null> {
    const [row] = await tx.query<LockedBudget>(
      `select automatic.reader_id as "readerId", is_on as "isOn", titles_done_id as "titlesDoneId",
              summaries_done_id as "summariesDoneId", ${USED_TODAY} as used
         from automatic_reader automatic
        where reader_id = $1 for update`,
      [readerId],
    );
    return row ?? null;
  }

  /**
   * Items that arrived after the first delivery of their feed and after the task was switched on, newest
   * first.
   */
  async newItems(
    kind: AutomaticKind,
    { readerId, titlesDoneId, summariesDoneId }: LockedBudget,
    limit: number,
    tx: SqlRunner,
  ): Promise<NewItem[]> {
    const [doneId, column, isWanted, from] =
      kind === 'title'
        ? [titlesDoneId, 'titles_to', `choice.wanted <> ''`, 'titles_from_id']
        : [summariesDoneId, 'summarise', 'choice.wanted', 'summaries_from_id'];
    return tx.query<NewItem>(
      `with choice as materialized (
         select s.id as feed_id, s.started_rev, coalesce(own.${column}, of_folder.${column}) as wanted,
                case when own.${column} is null then of_folder.${from} else own.${from} end as from_id
           from subscription s
           left join automatic_choice own on own.reader_id = $1 and own.subscription_id = s.id
           left join automatic_choice of_folder on of_folder.reader_id = $1
                                                  and of_folder.folder_id = s.folder_id
          where s.reader_id = $1 and s.deleted_at is null
       ), arrived as materialized (
         select item.id, item.article_id, choice.started_rev, choice.wanted::text as wanted
           from item
           join choice on choice.feed_id = item.subscription_id and ${isWanted}
          where item.reader_id = $1 and item.id > $2 and item.id >= choice.from_id
            and item.unread and not item.late
       )
       select arrived.id as "itemId", arrived.article_id as "articleId",
              article.source_id as "sourceId", coalesce(article.title, '') as title,
              arrived.wanted as language
         from arrived join article on article.id = arrived.article_id
        where article.first_rev > arrived.started_rev
        order by arrived.id desc limit $3`,
      [readerId, doneId, limit],
    );
  }

  async newestItemId(readerId: number, tx: SqlRunner): Promise<number> {
    const [row] = await tx.query<{ id: number }>(
      'select next_item_id - 1 as id from reader where id = $1',
      [readerId],
    );
    return row?.id ?? 0;
  }

  /** Stores a plan's usage, and its last item. */
  async savePlan(budget: LockedBudget, tx: SqlRunner): Promise<void> {
    const { readerId, titlesDoneId, summariesDoneId, used } = budget;
    await tx.query(
      `update automatic_reader
          set titles_done_id = $2, summaries_done_id = $3, used = $4, day = current_date
        where reader_id = $1`,
      [readerId, titlesDoneId, summariesDoneId, used],
    );
  }

  /** @returns null for a reader that is gone */
  async userOf(readerId: number): Promise<string | null> {
    const [row] = await this.database.query<{ userId: string }>(
      'select user_id as "userId" from reader_user where reader_id = $1',
      [readerId],
    );
    return row?.userId ?? null;
  }

  /** @param most tasks of a day @returns false if they are used up */
  async useOne(readerId: number, most: number): Promise<boolean> {
    await this.database.query(
      `insert into automatic_reader (reader_id, is_on) select id, false from reader where id = $1
       on conflict do nothing`,
      [readerId],
    );
    const rows = await this.database.query(
      `update automatic_reader set used = ${USED_TODAY} + 1, day = current_date
        where reader_id = $1 and ${USED_TODAY} < $2
       returning 1`,
      [readerId, most],
    );
    return rows.length > 0;
  }

  /** Refunds one task that was not started. */
  async giveBackOne(readerId: number): Promise<void> {
    await this.database.query(
      `update automatic_reader set used = greatest(used - 1, 0)
        where reader_id = $1 and day = current_date`,
      [readerId],
    );
  }

  async isPaused(kind: AutomaticKind): Promise<boolean> {
    const rows = await this.database.query(
      'select 1 from automatic_pause where kind = $1 and paused_until > now()',
      [kind],
    );
    return rows.length > 0;
  }

  /** After three failures in a row the kind pauses, longer with each further one. */
  async countFailure(kind: AutomaticKind): Promise<void> {
    await this.database.query(
      `insert into automatic_pause as pause (kind, failures, paused_until) values ($1, 1, now())
       on conflict (kind) do update
          set failures = pause.failures + 1,
              paused_until = case when pause.failures + 1 < ${FAILURES_BEFORE_PAUSE} then now()
                else now() + least(${LONGEST_PAUSE}, ${FIRST_PAUSE}
                                   * power(2, least(pause.failures + 1 - ${FAILURES_BEFORE_PAUSE}, 10)))
                end`,
      [kind],
    );
  }

  async forgetFailures(kind: AutomaticKind): Promise<void> {
    await this.database.query('delete from automatic_pause where kind = $1', [kind]);
  }

  /** Notifies the listening pages of a user. */
  async announceResults(readerId: number): Promise<void> {
    await announceSomething(readerId, this.database);
  }

  /** Translated titles of the given items, as far as there are any. */
  async titles(
    readerId: number,
    itemIds: readonly number[],
  ): Promise<{ readonly id: number; readonly translatedTitle: string }[]> {
    return this.database.query(
      `select id, "translatedTitle" from (
         select listed.id, ${translatedTitle('listed', 'listed.title')} as "translatedTitle"
           from (select item.id, item.article_id, item.titles_to, article.title
                   from (select item.id, item.article_id, ${choiceOf('titles_to', 'item')} as titles_to
                           from item
                          where item.reader_id = $1 and item.id = any($2::bigint[]) offset 0) item
                   join article on article.id = item.article_id offset 0) listed) found
        where "translatedTitle" is not null order by id`,
      [readerId, itemIds],
    );
  }
}
