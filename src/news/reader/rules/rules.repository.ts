import { Injectable } from '@nestjs/common';
import { RestoreHooks } from '../../../common/ports/hooks.js';
import { Database, type SqlRunner } from '../../../database/database.js';
import { prepared } from '../../../database/prepared.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { RuleEntity } from '../../tables/rule.entity.js';
import type { LockedReader } from '../delivery/reader-locks.repository.js';

const RULE = selectList(RuleEntity, 'rule', [
  'id',
  'name',
  'enabled',
  'place',
  'scope',
  'query',
  'queryText',
  'actions',
  'stopAfter',
  'hasClock',
  'tells',
  'untilSeconds',
  'createdAt',
  'changedMicros',
  'problem',
  'toldFromSeconds',
  'groupFolderId',
  'groupName',
]);

export type Rule = RowOf<typeof RULE>;

const LIST = prepared('rules', `select ${RULE} from rule where reader_id = $1 order by place, id`);

const REVISION = prepared(
  'rules-revision',
  `select concat_ws(' ', count(*), max(changed_micros), max(told_from_seconds)) as revision
     from rule where reader_id = $1 having bool_or(enabled)`,
);

/** A rule as it is saved. */
export type SavedRule = Omit<Rule, 'createdAt' | 'changedMicros' | 'toldFromSeconds'>;

/** What a rule did within 30 days. */
export interface RuleUse {
  readonly ruleId: number;
  /** Items. */
  readonly matches: number;
  readonly lastAtSeconds: number;
}

/** Rules of users. Writes run under the reader's lock. */
@Injectable()
export class RulesRepository {
  constructor(
    private readonly database: Database,
    restoreHooks: RestoreHooks,
  ) {
    // What a restored service fetches again is not told again.
    restoreHooks.add(() => this.#tellFromNow());
  }

  /** In their order. */
  async list(readerId: number, runner: SqlRunner = this.database): Promise<Rule[]> {
    return runner.query<Rule>(LIST, [readerId]);
  }

  /** Another one after each change of the reader's rules; null if none is on. */
  async revision(readerId: number, runner: SqlRunner): Promise<string | null> {
    const [row] = await runner.query<{ revision: string }>(REVISION, [readerId]);
    return row?.revision ?? null;
  }

  /** The rules of each of these readers that are on and tell something. */
  async telling(readerIds: readonly number[]): Promise<Map<number, Rule[]>> {
    const rules = await this.database.query<Rule & { readonly readerId: number }>(
      `select reader_id as "readerId", ${RULE} from rule
        where reader_id = any($1::bigint[]) and enabled and tells`,
      [readerIds],
    );
    return Map.groupBy(rules, ({ readerId }) => readerId);
  }

  /** Addresses of the reader's feeds by id. */
  async feedUrls(readerId: number): Promise<Map<number, string>> {
    const rows = await this.database.query<{ id: number; url: string }>(
      'select id, url from subscription where reader_id = $1 and deleted_at is null',
      [readerId],
    );
    return new Map(rows.map(({ id, url }) => [id, url]));
  }

  async uses(readerId: number): Promise<RuleUse[]> {
    return this.database.query<RuleUse>(
      `select rule_id as "ruleId", count(distinct item_id)::int as matches,
              extract(epoch from max(at))::bigint as "lastAtSeconds"
         from rule_effect where reader_id = $1 and at > now() - interval '30 days'
        group by rule_id`,
      [readerId],
    );
  }

  /** Creates or replaces a rule. */
  async save(reader: LockedReader, rule: SavedRule, tx: SqlRunner): Promise<void> {
    await tx.query(
      `insert into rule (reader_id, id, name, enabled, place, scope, query, query_text, actions,
                         stop_after, has_clock, until_seconds, changed_micros, problem, tells,
                         group_folder_id, group_name)
       values ($1, $3, $4, $5, $14, $6::jsonb, $7::jsonb, $8, $9::jsonb, $10, $11, $12, $2, $13, $15, $16, $17)
       on conflict (reader_id, id) do update
          set name = excluded.name, enabled = excluded.enabled, place = excluded.place, scope = excluded.scope,
              query = excluded.query, query_text = excluded.query_text, actions = excluded.actions,
              stop_after = excluded.stop_after, has_clock = excluded.has_clock,
              until_seconds = excluded.until_seconds, changed_micros = excluded.changed_micros,
              problem = excluded.problem, tells = excluded.tells,
              group_folder_id = excluded.group_folder_id, group_name = excluded.group_name`,
      [
        reader.id,
        reader.stampMicros,
        rule.id,
        rule.name,
        rule.enabled,
        JSON.stringify(rule.scope),
        rule.query && JSON.stringify(rule.query),
        rule.queryText,
        JSON.stringify(rule.actions),
        rule.stopAfter,
        rule.hasClock,
        rule.untilSeconds,
        rule.problem,
        rule.place,
        rule.tells,
        rule.groupFolderId,
        rule.groupName,
      ],
    );
  }

  /** Of the user's own. @param ids in their new order; the others follow in their present one */
  async order(reader: LockedReader, ids: readonly number[], tx: SqlRunner): Promise<void> {
    await tx.query(
      `with given as (
         select id, place from unnest($3::bigint[]) with ordinality as one (id, place)
       ), ranked as (
         select rule.id, row_number() over (order by given.place nulls last, rule.place, rule.id) as place
           from rule left join given on given.id = rule.id
          where rule.reader_id = $1 and rule.group_folder_id is null
       )
       update rule set place = ranked.place, changed_micros = $2 from ranked
        where rule.reader_id = $1 and rule.id = ranked.id`,
      [reader.id, reader.stampMicros, ids],
    );
  }

  async remove(readerId: number, ruleId: number, tx: SqlRunner): Promise<void> {
    await tx.query('delete from rule where reader_id = $1 and id = $2', [readerId, ruleId]);
  }

  /** Removes those of the labels that no item has. */
  async removeUnusedLabels(
    readerId: number,
    labelIds: readonly number[],
    tx: SqlRunner,
  ): Promise<void> {
    await tx.query(
      `delete from label where reader_id = $1 and id = any($2::bigint[])
          and not exists (select 1 from item_label
                           where item_label.reader_id = $1 and item_label.label_id = label.id)`,
      [readerId, labelIds],
    );
  }

  /**
   * Finds users with rules for the clock whose last run was planned at least so long ago, and plans one in the
   * same transaction.
   */
  async takeClockTurns(
    everySeconds: number,
    plan: (userIds: string[], tx: SqlRunner) => Promise<void>,
  ): Promise<void> {
    await this.database.transaction(async (tx) => {
      const due = await tx.query<{ readerId: number }>(
        `update rule set clock_ran_at = now()
          where has_clock and enabled and clock_ran_at <= now() - make_interval(secs => $1)
         returning reader_id as "readerId"`,
        [everySeconds],
      );
      const users = await tx.query<{ userId: string }>(
        'select user_id as "userId" from reader_user where reader_id = any($1::bigint[])',
        [due.map(({ readerId }) => readerId)],
      );
      await plan(
        users.map(({ userId }) => userId),
        tx,
      );
    });
  }

  async #tellFromNow(): Promise<void> {
    await this.database.query(
      'update rule set told_from_seconds = extract(epoch from now())::bigint',
    );
  }
}
