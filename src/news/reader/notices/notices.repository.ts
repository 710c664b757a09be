import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { Config } from '../../../common/config/config.js';
import { RestoreHooks } from '../../../common/ports/hooks.js';
import { DAY_SECONDS } from '../../../common/units.js';
import { Database, type SqlRunner } from '../../../database/database.js';
import type { JobKind } from '../../../database/jobs/job-kind.js';
import { JobQueue } from '../../../database/jobs/job-queue.js';
import { prepared } from '../../../database/prepared.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import type { LockedReader } from '../delivery/reader-locks.repository.js';
import { NOT_MARKED_FOR_DELETION, withContents } from '../items/item-list.sql.js';
import { FIND_CHANNEL, type Channel } from './channels.repository.js';
import { nextTime } from './local-time.js';
import {
  BY_HAND,
  NoticeEntity,
  NoticeSettingsEntity,
  type NoticeState,
} from './notice.entities.js';
import { NoticesSettings } from './notices.settings.js';
import { savingFormOf } from './saving-forms.js';

/** What a rule wants its reader to be told. */
export interface NewNotice {
  readonly ruleId: number;
  readonly ruleName: string;
  readonly itemId: number;
  readonly urgent: boolean;
  /** Null: all channels of the user that are on and tell. */
  readonly channelIds: readonly number[] | null;
  /** `HH:MM`: collected into the mail of this time; null: at once. */
  readonly digestAt: string | null;
  /** With `channelIds` null: only channels of the kind `mail`, as always for a digest. */
  readonly byMail?: boolean;
}

/** Tells what is due by one channel of a reader; jobs of a channel run one after the other. */
export interface NoticeJob {
  readonly readerId: number;
  readonly channelId: number;
}

export const NOTICE_JOBS: JobKind<NoticeJob> = {
  name: 'notices',
  deadlineSeconds: 24 * 3600,
  retryDelaySeconds: 1,
  longestRetryDelaySeconds: 300,
  // A job that began its last message before half of it is over ends in time.
  attemptSeconds: 60,
  parallel: 16,
  batch: 8,
  // A slow server of one reader holds up no other reader.
  parallelPerGroup: 4,
  ordered: true,
};

/** A job that is not done after this time is sent again. */
export const LOST_MS = 120_000;

const DUE = selectList(NoticeEntity, 'notice', [
  'id',
  'ruleId',
  'ruleName',
  'itemId',
  'urgent',
  'gathered',
  'attempts',
]);

/** Unix seconds. */
const CREATED = 'extract(epoch from notice.created_at)::bigint as "createdSeconds"';

/** A notice whose time has come. */
export type DueNotice = RowOf<typeof DUE> & { readonly createdSeconds: number };

const LISTED = selectList(NoticeEntity, 'notice', [
  'id',
  'ruleId',
  'ruleName',
  'itemId',
  'channelId',
  'state',
  'reason',
  'title',
  'feedId',
  'feedTitle',
]);

/** A notice as the list of what was told has it. `title` and the like are null while it waits. */
export type ListedNotice = RowOf<typeof LISTED> & {
  readonly createdSeconds: number;
  readonly channel: string | null;
};

const SETTINGS = selectList(NoticeSettingsEntity, 'settings', [
  'quiet',
  'timeZone',
  'notWhileReading',
  'mostPerRuleAndHour',
]);

export type NoticeSettings = RowOf<typeof SETTINGS>;

export const DEFAULT_SETTINGS: NoticeSettings = {
  quiet: null,
  timeZone: 'UTC',
  notWhileReading: false,
  mostPerRuleAndHour: 10,
};

/** An item as a notice shows it to its reader. */
export interface NoticedItem {
  readonly id: number;
  readonly unread: boolean;
  readonly filtered: boolean;
  readonly feedId: number;
  /** The user's own title; may be empty. */
  readonly feedTitle: string;
  readonly feedUrl: string;
  readonly folder: string | null;
  /** Whether the feed is fetched with credentials. */
  readonly isPrivate: boolean;
  readonly title: string | null;
  readonly url: string | null;
  readonly author: string | null;
  readonly pubDate: number;
  /** The beginning of the text; null if it was not asked for. */
  readonly html: string | null;
}

interface ToldReader {
  readonly userId: string;
  /** Whether a page of theirs was open within the last minutes. */
  readonly isReading: boolean;
}

interface RuleCount {
  readonly ruleId: number;
  readonly count: number;
}

/** What a channel has to tell. */
export interface Outbox {
  /** Null if it is gone. */
  readonly channel: Channel | null;
  readonly reader: ToldReader | null;
  readonly settings: NoticeSettings;
  /** Oldest first. */
  readonly due: readonly DueNotice[];
  /** How many of each rule were sent by the channel one by one since the given time. */
  readonly sentByRule: ReadonlyMap<number, number>;
}

/** What became of notices. `reason` is a sentence. */
interface Outcome {
  readonly state: NoticeState;
  readonly reason?: string;
  /** When it is tried again. */
  readonly dueAt?: Date;
  /** Key of the message that will tell it. */
  readonly gathered?: string;
  readonly isAttempt?: boolean;
}

const ENABLED_CHANNELS = prepared(
  'enabled-channels',
  'select id, kind, form from notice_channel where reader_id = $1 and enabled order by id',
);

const INSERT = prepared(
  'insert-notices',
  `insert into notice (reader_id, rule_id, rule_name, item_id, channel_id, urgent, gathered,
                       created_at, due_at, wake_at)
   select $1, given.rule_id, given.rule_name, given.item_id, given.channel_id, given.urgent,
          given.gathered, $8, given.due_at,
          case when given.due_at > $8 then given.due_at else $10::timestamptz end
     from unnest($2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::boolean[], $7::text[],
                 $9::timestamptz[])
          as given (rule_id, rule_name, item_id, channel_id, urgent, gathered, due_at)
   on conflict (reader_id, rule_id, item_id, channel_id) do nothing
   returning channel_id as "channelId"`,
);

const KEEP_LATEST = prepared(
  'keep-latest-notices',
  `delete from notice where reader_id = $1 and id <= (
     select id from notice where reader_id = $1 order by id desc offset $2 limit 1)`,
);

const FIND_DUE = prepared(
  'due-notices',
  `select ${DUE}, ${CREATED} from notice
    where reader_id = $1 and channel_id = $2 and state = 'waiting' and due_at <= $3
    order by id`,
);

const RECORD = prepared(
  'record-notices',
  `update notice
      set state = $3, reason = $4, due_at = coalesce($5, due_at), wake_at = coalesce($5, wake_at),
          gathered = coalesce($6, gathered), attempts = attempts + $7::int,
          title = given.title, feed_id = given.feed_id, feed_title = given.feed_title,
          channel_name = $8
     from unnest($2::bigint[], $9::text[], $10::bigint[], $11::text[])
          as given (id, title, feed_id, feed_title)
    where notice.reader_id = $1 and notice.id = given.id and notice.state = 'waiting'`,
);

const COUNT_SENT = prepared(
  'notices-sent',
  `select rule_id as "ruleId", count(*)::int as count from notice
    where reader_id = $1 and channel_id = $2 and state = 'sent' and gathered is null
      and due_at >= $3
    group by rule_id`,
);

const FIND_READER = prepared(
  'reader-who-is-told',
  `select user_id as "userId", coalesce(watched_until > now(), false) as "isReading"
     from reader where id = $1`,
);

const FIND_SETTINGS = prepared(
  'notice-settings',
  `select ${SETTINGS} from notice_settings settings where reader_id = $1`,
);

/** Items of the reader `$1`. @param html of the beginning of the text */
const itemsToTell = (html: string) => `
  select listed.*, coalesce(feed.title, source.title, '') as "feedTitle",
         feed.url as "feedUrl", feed.folder,
         source.access is not null or feed.url ~ '^[^/?#]*//[^/?#]*@' as "isPrivate"
    from (${withContents(
      `select item.* from item
        where item.reader_id = $1 and item.id = any($2::bigint[]) and ${NOT_MARKED_FOR_DELETION}`,
      'asc',
      `item.id, item.unread, item.filtered, item.subscription_id as "feedId",
       article.title, article.url, article.author, article.pub_date_seconds as "pubDate", ${html} as html`,
    )}) listed
    join (select s.id, s.source_id, s.url, s.title, folder.name as folder
            from subscription s
            left join folder on folder.reader_id = $1 and folder.id = s.folder_id
           where s.reader_id = $1 offset 0) feed on feed.id = listed."feedId"
    join source on source.id = feed.source_id`;

/** Enough of the text for an excerpt. */
const HTML_CHARACTERS = 2000;

const FIND_ITEMS = prepared('items-to-tell', itemsToTell('null::text'));
const FIND_ITEMS_AND_TEXTS = prepared(
  'items-and-texts-to-tell',
  itemsToTell(`left(article.html, ${HTML_CHARACTERS})`),
);

/** Outbox of notices, and the list of what a reader was told. */
@Injectable()
export class NoticesRepository {
  constructor(
    private readonly database: Database,
    private readonly jobs: JobQueue,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly settings: NoticesSettings,
    restoreHooks: RestoreHooks,
  ) {
    // What waited in the backup has been told since.
    restoreHooks.add(async () => {
      await database.query(
        `update notice set state = 'dropped', reason = 'The service was restored from a backup.'
          where state = 'waiting'`,
      );
    });
  }

  /**
   * Stores what is to be told: once for each rule, item and channel, also if it was told before.
   *
   * @returns what to send after the commit, by `NoticesService.soon`
   */
  async put(
    reader: LockedReader,
    notices: readonly NewNotice[],
    tx: SqlRunner,
  ): Promise<NoticeJob[]> {
    const channels = await tx.query<Pick<Channel, 'id' | 'kind' | 'form'>>(ENABLED_CHANNELS, [
      reader.id,
    ]);
    const now = this.clock.now();
    const hasDigests = notices.some(({ digestAt }) => digestAt !== null);
    const { timeZone } = hasDigests ? await this.settingsOf(reader.id, tx) : DEFAULT_SETTINGS;
    const rows = notices.flatMap((notice) => {
      const { channelIds, digestAt, byMail = digestAt !== null } = notice;
      const dueAt = digestAt === null ? now : nextTime(now, digestAt, timeZone);
      const gathered = digestAt === null ? null : `digest ${dueAt.toISOString()}`;
      return channels
        .filter(
          ({ id, kind, form }) =>
            channelIds?.includes(id) ?? (byMail ? kind === 'mail' : savingFormOf(form) === null),
        )
        .map((channel) => ({ ...notice, channelId: channel.id, dueAt, gathered }));
    });
    if (rows.length === 0) {
      return [];
    }
    const stored = await tx.query<{ channelId: number }>(INSERT, [
      reader.id,
      rows.map(({ ruleId }) => ruleId),
      rows.map(({ ruleName }) => ruleName),
      rows.map(({ itemId }) => itemId),
      rows.map(({ channelId }) => channelId),
      rows.map(({ urgent }) => urgent),
      rows.map(({ gathered }) => gathered),
      now,
      rows.map(({ dueAt }) => dueAt),
      new Date(now.getTime() + LOST_MS),
    ]);
    const due = new Set(rows.filter(({ dueAt }) => dueAt <= now).map(({ channelId }) => channelId));
    const touched = new Set(stored.map(({ channelId }) => channelId).filter((id) => due.has(id)));
    await tx.query(KEEP_LATEST, [reader.id, this.config.limits['notices-kept-per-user']]);
    return [...touched].map((channelId) => ({ readerId: reader.id, channelId }));
  }

  /** Puts an article that the user sends on by a channel, also again. @returns nothing if the channel is off */
  async putByHand(
    reader: LockedReader,
    itemId: number,
    channelId: number,
    tx: SqlRunner,
  ): Promise<NoticeJob[]> {
    await tx.query(
      `delete from notice
        where reader_id = $1 and rule_id = ${BY_HAND} and item_id = $2 and channel_id = $3`,
      [reader.id, itemId, channelId],
    );
    const sent = { ruleId: BY_HAND, ruleName: '', itemId, urgent: true };
    return this.put(reader, [{ ...sent, channelIds: [channelId], digestAt: null }], tx);
  }

  /** Drops what waits to be told by a rule that was switched off or deleted. */
  async withdraw(readerId: number, ruleId: number, tx: SqlRunner): Promise<void> {
    await this.drop('rule_id', readerId, ruleId, 'The rule was switched off.', tx);
  }

  /** Drops all that waits of a rule or for a channel. */
  async drop(
    column: 'rule_id' | 'channel_id',
    readerId: number,
    id: number,
    reason: string,
    runner: SqlRunner = this.database,
  ): Promise<void> {
    await runner.query(
      `update notice set state = 'dropped', reason = $3
        where reader_id = $1 and ${column} = $2 and state = 'waiting'`,
      [readerId, id, reason],
    );
  }

  async send(jobs: readonly NoticeJob[], tx?: SqlRunner): Promise<void> {
    const sent = jobs.map((payload) => ({
      key: `${payload.readerId}/${payload.channelId}`,
      group: String(payload.readerId),
      payload,
    }));
    await this.jobs.send(NOTICE_JOBS, sent, tx);
  }

  /** Sends jobs for what has become due, and for jobs that were lost, in all processes together. */
  async sendDue(): Promise<void> {
    const now = this.clock.now();
    const look = "select 1 from notice where state = 'waiting' and wake_at <= $1 limit 1";
    if ((await this.database.query(look, [now])).length === 0) {
      return;
    }
    await this.database.transaction(async (tx) => {
      const due = await tx.query<NoticeJob>(
        `update notice set wake_at = $2 where state = 'waiting' and wake_at <= $1
         returning reader_id as "readerId", channel_id as "channelId"`,
        [now, new Date(now.getTime() + LOST_MS)],
      );
      const channels = new Map(due.map((job) => [`${job.readerId}/${job.channelId}`, job]));
      await this.send([...channels.values()], tx);
    });
    this.jobs.wake(NOTICE_JOBS);
  }

  /** @param since when an hour began, in which a rule sends so many */
  async outbox({ readerId, channelId }: NoticeJob, since: Date): Promise<Outbox> {
    const ofChannel = [readerId, channelId];
    const [channels, readers, settings, due, sent] = (await this.database.queryTogether([
      { sql: FIND_CHANNEL, params: ofChannel },
      { sql: FIND_READER, params: [readerId] },
      { sql: FIND_SETTINGS, params: [readerId] },
      { sql: FIND_DUE, params: [...ofChannel, this.clock.now()] },
      { sql: COUNT_SENT, params: [...ofChannel, since] },
    ])) as [Channel[], ToldReader[], NoticeSettings[], DueNotice[], RuleCount[]];
    return {
      channel: channels[0] ?? null,
      reader: readers[0] ?? null,
      settings: settings[0] ?? DEFAULT_SETTINGS,
      due,
      sentByRule: new Map(sent.map(({ ruleId, count }) => [ruleId, count])),
    };
  }

  /** Stores what became of notices that wait. @param items as they were told, by id */
  async record(
    channel: { readonly readerId: number; readonly name: string },
    notices: readonly Pick<DueNotice, 'id' | 'itemId'>[],
    items: ReadonlyMap<number, NoticedItem>,
    outcome: Outcome,
  ): Promise<void> {
    const { state, reason = null, gathered = null, isAttempt = false } = outcome;
    const told = notices.map(({ itemId }) => items.get(itemId));
    await this.database.query(RECORD, [
      channel.readerId,
      notices.map(({ id }) => id),
      state,
      reason,
      outcome.dueAt ?? (state === 'waiting' ? null : this.clock.now()),
      gathered,
      Number(isAttempt),
      channel.name,
      told.map((item) => item?.title ?? null),
      told.map((item) => item?.feedId ?? null),
      told.map((item) => item?.feedTitle ?? null),
    ]);
  }

  /**
   * Items as their reader sees them, by id; deleted ones are missing.
   *
   * @param withTexts whether the beginnings of their texts are read
   */
  async itemsOf(
    readerId: number,
    notices: readonly { readonly itemId: number }[],
    withTexts: boolean,
  ): Promise<Map<number, NoticedItem>> {
    const rows = await this.database.query<NoticedItem>(
      withTexts ? FIND_ITEMS_AND_TEXTS : FIND_ITEMS,
      [readerId, notices.map(({ itemId }) => itemId)],
    );
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** Null if there is none. */
  async readerOf(readerId: number): Promise<ToldReader | null> {
    const [row] = await this.database.query<ToldReader>(FIND_READER, [readerId]);
    return row ?? null;
  }

  /** What a reader was told, newest first. @param before exclusive id; null begins with the newest */
  async list(readerId: number, before: number | null, limit: number): Promise<ListedNotice[]> {
    return this.database.query<ListedNotice>(
      `select ${LISTED}, ${CREATED}, coalesce(channel.name, notice.channel_name) as channel
         from notice left join notice_channel channel
              on channel.reader_id = $1 and channel.id = notice.channel_id
        where notice.reader_id = $1 and ($2::bigint is null or notice.id < $2)
        order by notice.id desc limit $3`,
      [readerId, before, limit],
    );
  }

  async find(readerId: number, id: number): Promise<{ itemId: number } | null> {
    const [row] = await this.database.query<{ itemId: number }>(
      'select item_id as "itemId" from notice where reader_id = $1 and id = $2',
      [readerId, id],
    );
    return row ?? null;
  }

  /** Has a failed notice sent again. @returns the channel; null unless it failed */
  async retry(readerId: number, id: number): Promise<NoticeJob | null> {
    const now = this.clock.now();
    const [row] = await this.database.query<NoticeJob>(
      `update notice
          set state = 'waiting', reason = null, attempts = 0, created_at = $3, due_at = $3,
              wake_at = $4, gathered = null
        where reader_id = $1 and id = $2 and state = 'failed'
       returning reader_id as "readerId", channel_id as "channelId"`,
      [readerId, id, now, new Date(now.getTime() + LOST_MS)],
    );
    return row ?? null;
  }

  async settingsOf(readerId: number, runner: SqlRunner = this.database): Promise<NoticeSettings> {
    const [row] = await runner.query<NoticeSettings>(FIND_SETTINGS, [readerId]);
    return row ?? DEFAULT_SETTINGS;
  }

  /** What waits for the end of quiet hours is looked at again. */
  async saveSettings(
    { id: readerId }: LockedReader,
    { quiet, timeZone, notWhileReading, mostPerRuleAndHour }: NoticeSettings,
    tx: SqlRunner,
  ): Promise<void> {
    await tx.query(
      `insert into notice_settings
              (reader_id, quiet, time_zone, not_while_reading, most_per_rule_and_hour)
       values ($1, $2, $3, $4, $5)
       on conflict (reader_id) do update
          set quiet = excluded.quiet, time_zone = excluded.time_zone,
              not_while_reading = excluded.not_while_reading,
              most_per_rule_and_hour = excluded.most_per_rule_and_hour`,
      [
        readerId,
        quiet === null ? null : JSON.stringify(quiet),
        timeZone,
        notWhileReading,
        mostPerRuleAndHour,
      ],
    );
    await tx.query(
      `update notice set due_at = $2, wake_at = $2
        where reader_id = $1 and state = 'waiting' and gathered like 'quiet %'`,
      [readerId, this.clock.now()],
    );
  }

  /** Removes old notices that do not wait. */
  async removeOld(): Promise<void> {
    const limit = new Date(
      this.clock.now().getTime() - this.settings.keepNoticesDays * DAY_SECONDS * 1000,
    );
    await this.database.query("delete from notice where created_at < $1 and state <> 'waiting'", [
      limit,
    ]);
  }
}
