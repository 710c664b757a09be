import { Injectable } from '@nestjs/common';
import { RestoreHooks } from '../../common/ports/hooks.js';
import type { Language } from '../../common/texts/languages.js';
import { countUpTo } from '../../database/count-up-to.js';
import { Database, type SqlRunner } from '../../database/database.js';
import { selectList, type RowOf } from '../../database/select-list.js';
import type { TellingForm } from '../reader/notices/notice.entities.js';
import { BoardWebhookEntity } from '../tables/board.entity.js';

const COLUMNS = selectList(BoardWebhookEntity, 'hook', [
  'id',
  'boardId',
  'name',
  'target',
  'sealed',
  'enabled',
  'lastError',
  'offReason',
  'toldEntryId',
  'gatherTo',
  'attempts',
]);

const HOOK = `${COLUMNS}, hook.form, hook.language,
  extract(epoch from hook.failing_since)::bigint as "failingSinceSeconds"`;

export type BoardWebhook = RowOf<typeof COLUMNS> & {
  readonly form: TellingForm;
  readonly language: Language;
  readonly failingSinceSeconds: number | null;
};

export type NewBoardWebhook = Pick<
  BoardWebhook,
  'boardId' | 'form' | 'name' | 'target' | 'sealed' | 'language'
> & { readonly targetKey: Buffer };

/** A webhook that is on, with its board. */
export interface WaitingWebhook extends BoardWebhook {
  readonly boardName: string;
  readonly groupName: string;
  readonly isDue: boolean;
  /** Entries of this hour that it was told one by one. */
  readonly sentInHour: number;
}

/** Of `gatherTo`: what is added until the hour ends will be told together. */
export const UNTIL_THE_HOUR_ENDS = -1;

/** All that is on the board was told. */
export const newestEntryOf = (boardId: string) =>
  `coalesce((select max(id) from board_entry where board_id = ${boardId}), 0)`;

const FORGET_FAILURES = `failing_since = null, last_error = null, off_reason = null`;

/** Servers that are told what is added to boards, and how far each was told. */
@Injectable()
export class BoardWebhooksRepository {
  constructor(
    private readonly database: Database,
    restoreHooks: RestoreHooks,
  ) {
    // What waited in the backup has been told since.
    restoreHooks.add(async () => {
      await database.query(
        `update board_webhook hook set gather_to = null,
                told_entry_id = ${newestEntryOf('hook.board_id')}`,
      );
    });
  }

  /** In the order in which they were added. @param boardId null: of all boards */
  async list(boardId: number | null, tx: SqlRunner = this.database): Promise<BoardWebhook[]> {
    return tx.query<BoardWebhook>(
      `select ${HOOK} from board_webhook hook
        where $1::bigint is null or board_id = $1 order by board_id, id`,
      [boardId],
    );
  }

  /**
   * From then on it is told what is added.
   *
   * @param assertRoom gets how many the board has, and throws if it may not have another one
   * @returns its id; null if one leads there already
   */
  async create(
    webhook: NewBoardWebhook,
    now: Date,
    assertRoom: (count: number) => void,
  ): Promise<number | null> {
    const { boardId, form, name, target, targetKey, sealed, language } = webhook;
    return this.database.transaction(async (tx) => {
      await tx.query('select 1 from board where id = $1 for update', [boardId]);
      assertRoom((await this.list(boardId, tx)).length);
      const [row] = await tx.query<{ id: number }>(
        `insert into board_webhook (board_id, form, name, target, target_key, sealed, language,
                                    told_entry_id, due_at, wake_at, hour)
         select id, $2, $3, $4, $5, $6, $7, ${newestEntryOf('$1')}, $8, $8, $8 from board where id = $1
         on conflict do nothing returning id`,
        [boardId, form, name, target, targetKey, sealed, language, now],
      );
      return row?.id ?? null;
    });
  }

  /** Switched on, it is told what is added from then on, and counts as working. */
  async switch(boardId: number, id: number, isOn: boolean, now: Date): Promise<boolean> {
    const rows = await this.database.query(
      `update board_webhook hook
          set enabled = $3, ${FORGET_FAILURES}, attempts = 0, gather_to = null, due_at = $4,
              wake_at = $4, told_entry_id = ${newestEntryOf('$1')}
        where board_id = $1 and id = $2 returning 1`,
      [boardId, id, isOn, now],
    );
    return rows.length > 0;
  }

  async remove(boardId: number, id: number): Promise<boolean> {
    const rows = await this.database.query(
      'delete from board_webhook where board_id = $1 and id = $2 returning 1',
      [boardId, id],
    );
    return rows.length > 0;
  }

  async countFailing(): Promise<number> {
    const from = 'board_webhook where failing_since is not null or off_reason is not null';
    return countUpTo(this.database, from, [], 1000);
  }

  /** @returns those that have something to tell, once until `again` */
  async takeDue(now: Date, again: Date): Promise<number[]> {
    const rows = await this.database.query<{ id: number }>(
      `update board_webhook hook set wake_at = $2
        where wake_at <= $1 and enabled
          and exists (select 1 from board_entry
                       where board_id = hook.board_id and id > hook.told_entry_id)
       returning id`,
      [now, again],
    );
    return rows.map(({ id }) => id);
  }

  /** @param hour that began last */
  async waiting(id: number, now: Date, hour: Date): Promise<WaitingWebhook | null> {
    const [row] = await this.database.query<WaitingWebhook>(
      `select ${HOOK}, source.title as "boardName", its.display_name as "groupName",
              hook.due_at <= $2 as "isDue",
              case when hook.hour = $3 then hook.sent_in_hour else 0 end as "sentInHour"
         from board_webhook hook join board on board.id = hook.board_id
         join source on source.id = board.source_id
         join group_folder_feed feed on feed.id = board.feed_id
         join group_folder folder on folder.id = feed.folder_id
         join account_group its on its.group_id = folder.group_id
        where hook.id = $1 and hook.enabled`,
      [id, now, hour],
    );
    return row ?? null;
  }

  /** What is added until then is told together. */
  async gatherUntil(id: number, hourEnd: Date): Promise<void> {
    await this.database.query(
      `update board_webhook set gather_to = ${UNTIL_THE_HOUR_ENDS}, due_at = $2, wake_at = $2
        where id = $1`,
      [id, hourEnd],
    );
  }

  /** The message has what is on the board now, also when it is repeated. */
  async gatherNow(id: number): Promise<void> {
    await this.database.query(
      `update board_webhook hook set gather_to = ${newestEntryOf('hook.board_id')} where id = $1`,
      [id],
    );
  }

  /** @param hour in which an entry was told by itself; null for several, and for none */
  async noteTold(id: number, upTo: number, hour: Date | null): Promise<void> {
    await this.database.query(
      `update board_webhook
          set told_entry_id = greatest(told_entry_id, $2), gather_to = null, attempts = 0,
              ${FORGET_FAILURES}, wake_at = due_at,
              sent_in_hour = case when $3::timestamptz is null then sent_in_hour
                                  when hour = $3 then sent_in_hour + 1 else 1 end,
              hour = coalesce($3, hour)
        where id = $1`,
      [id, upTo, hour],
    );
  }

  /**
   * @param upTo given up; null: tried again
   * @param offReason switches it off
   */
  async noteFailure(
    id: number,
    failure: {
      readonly error: string;
      readonly now: Date;
      readonly dueAt: Date;
      readonly upTo: number | null;
      readonly offReason: string | null;
    },
  ): Promise<void> {
    const { error, now, dueAt, upTo, offReason } = failure;
    await this.database.query(
      `update board_webhook
          set failing_since = coalesce(failing_since, $3), last_error = $2,
              off_reason = $6, enabled = $6::text is null, due_at = $4, wake_at = $4,
              attempts = case when $5::bigint is null then attempts + 1 else 0 end,
              gather_to = case when $5::bigint is null then gather_to end,
              told_entry_id = greatest(told_entry_id, $5)
        where id = $1 and enabled`,
      [id, error, now, dueAt, upTo, offReason],
    );
  }
}
