import { HOUR_SECONDS } from '../../../common/units.js';
import { quietUntil } from './local-time.js';
import type { DueNotice, NoticedItem, NoticeSettings } from './notices.repository.js';

/** When notices that are due by one channel are sent, and which ones together. */
interface NoticePlan {
  /** Those that wait longer, by the key of the message that will tell them. */
  readonly deferred: ReadonlyMap<string, { readonly until: Date; readonly notices: DueNotice[] }>;
  /** In order of their first notice; `gathered` is the key of a message about several. */
  readonly messages: readonly {
    readonly gathered: string | null;
    readonly notices: readonly DueNotice[];
  }[];
}

/** The beginning of the hour, in which at most so many notices of a rule are sent. */
export function hourOf(now: Date): Date {
  return new Date(now.getTime() - (now.getTime() % (HOUR_SECONDS * 1000)));
}

/**
 * @param sentByRule notices of this hour that were sent by themselves
 * @param sendsOn whether it is sent on rather than told: at once, each by itself
 */
export function planNotices(
  due: readonly DueNotice[],
  { quiet, timeZone, mostPerRuleAndHour }: NoticeSettings,
  sentByRule: ReadonlyMap<number, number>,
  now: Date,
  sendsOn: (notice: DueNotice) => boolean = () => false,
): NoticePlan {
  const quietEnd = quietUntil(now, quiet, timeZone);
  const hourEnd = new Date(hourOf(now).getTime() + HOUR_SECONDS * 1000);
  const counts = new Map(sentByRule);
  const deferred = new Map<string, { until: Date; notices: DueNotice[] }>();
  const messages = new Map<string, { gathered: string | null; notices: DueNotice[] }>();

  const defer = (notice: DueNotice, until: Date, kind: string) => {
    const key = `${kind} ${until.toISOString()}`;
    const { notices } = deferred.get(key) ?? { notices: [] };
    deferred.set(key, { until, notices: [...notices, notice] });
  };
  for (const notice of due) {
    const { ruleId, gathered } = notice;
    const count = counts.get(ruleId) ?? 0;
    if (sendsOn(notice)) {
      messages.set(String(notice.id), { gathered: null, notices: [notice] });
    } else if (quietEnd !== null && !notice.urgent && !isDigest(notice)) {
      defer(notice, quietEnd, 'quiet');
    } else if (gathered === null && count >= mostPerRuleAndHour) {
      defer(notice, hourEnd, `flood ${ruleId}`);
    } else {
      const key = gathered ?? String(notice.id);
      const { notices } = messages.get(key) ?? { notices: [] };
      messages.set(key, { gathered, notices: [...notices, notice] });
      counts.set(ruleId, gathered === null ? count + 1 : count);
    }
  }
  return { deferred, messages: [...messages.values()] };
}

/** @returns why the user is not told, a sentence; null if they are */
export function reasonToDrop(
  notice: DueNotice,
  item: NoticedItem | undefined,
  {
    privateFeeds,
    isReading,
    sendsOn,
  }: {
    readonly privateFeeds: boolean;
    readonly isReading: boolean;
    /** Whether it is sent on, whoever has read it. */
    readonly sendsOn: boolean;
  },
): string | null {
  if (item === undefined) {
    return 'The article was removed meanwhile.';
  }
  if (item.filtered && !sendsOn) {
    return 'The article was hidden meanwhile.';
  }
  if (!item.unread && !sendsOn) {
    return 'The article was read meanwhile.';
  }
  if (item.isPrivate && !privateFeeds) {
    return 'The feed has a password, and the channel is not for such feeds.';
  }
  return isReading && !sendsOn && !isDigest(notice) ? 'You were reading.' : null;
}

function isDigest({ gathered }: DueNotice): boolean {
  return gathered?.startsWith('digest ') === true;
}
