import { HOUR_SECONDS } from '../../../common/units.js';
import { quietUntil } from './local-time.js';
import type { DueNotice, NoticedItem, NoticeSettings } from './notices.repository.js';

/** What to do with notices that are due by one channel. */
export interface NoticePlan {
  readonly drops: readonly { readonly notice: DueNotice; readonly reason: string }[];
  readonly deferrals: readonly {
    readonly notice: DueNotice;
    readonly until: Date;
    readonly gathered: string;
  }[];
  /** In order of their first notice; several notices of one key are one message. */
  readonly messages: readonly {
    readonly notices: readonly DueNotice[];
    readonly gathered: string | null;
  }[];
}

interface Circumstances {
  readonly now: Date;
  readonly items: ReadonlyMap<number, NoticedItem>;
  readonly settings: NoticeSettings;
  /** Whether the channel is told of feeds with credentials. */
  readonly privateFeeds: boolean;
  /** Whether a page of the user is open. */
  readonly isReading: boolean;
  /** Notices of this hour by rule that were sent by themselves. */
  readonly sentByRule: ReadonlyMap<number, number>;
}

/** The beginning of the hour, in which at most so many notices of a rule are sent. */
export function hourOf(now: Date): Date {
  const hourMs = HOUR_SECONDS * 1000;
  return new Date(Math.floor(now.getTime() / hourMs) * hourMs);
}

export function planNotices(due: readonly DueNotice[], given: Circumstances): NoticePlan {
  const { now, items, settings, sentByRule } = given;
  const quietEnd = quietUntil(now, settings.quiet, settings.timeZone);
  const hourEnd = new Date(hourOf(now).getTime() + HOUR_SECONDS * 1000);
  const counts = new Map(sentByRule);
  const drops: { notice: DueNotice; reason: string }[] = [];
  const deferrals: { notice: DueNotice; until: Date; gathered: string }[] = [];
  const groups = new Map<string, { notices: DueNotice[]; gathered: string | null }>();

  for (const notice of due) {
    const { ruleId, gathered } = notice;
    const isDigest = gathered?.startsWith('digest ') === true;
    const reason = reasonToDrop(items.get(notice.itemId), given, isDigest);
    if (reason !== null) {
      drops.push({ notice, reason });
    } else if (quietEnd !== null && !notice.urgent && !isDigest) {
      deferrals.push({ notice, until: quietEnd, gathered: `quiet ${quietEnd.toISOString()}` });
    } else if (gathered !== null) {
      const group = groups.get(gathered) ?? { notices: [], gathered };
      group.notices.push(notice);
      groups.set(gathered, group);
    } else {
      const count = counts.get(ruleId) ?? 0;
      counts.set(ruleId, count + 1);
      if (count < settings.mostPerRuleAndHour) {
        groups.set(String(notice.id), { notices: [notice], gathered });
      } else {
        const flood = `flood ${ruleId} ${hourEnd.toISOString()}`;
        deferrals.push({ notice, until: hourEnd, gathered: flood });
      }
    }
  }
  return { drops, deferrals, messages: [...groups.values()] };
}

/** @returns why the user is not told; null if they are */
function reasonToDrop(
  item: NoticedItem | undefined,
  { privateFeeds, isReading, settings }: Circumstances,
  isDigest: boolean,
): string | null {
  if (item === undefined) {
    return 'The article was removed meanwhile.';
  }
  if (item.filtered) {
    return 'The article was hidden meanwhile.';
  }
  if (!item.unread) {
    return 'The article was read meanwhile.';
  }
  if (item.isPrivate && !privateFeeds) {
    return 'The feed has a password, and the channel is not for such feeds.';
  }
  return isReading && settings.notWhileReading && !isDigest ? 'You were reading.' : null;
}
