import type { PublishingHints } from '../parsed-feed.js';
import { webAddress } from '../web-address.js';
import { relationOf, type XmlNode } from './xml-nodes.js';

const PERIOD_SECONDS: Readonly<Record<string, number>> = {
  hourly: 3600,
  daily: 86_400,
  weekly: 7 * 86_400,
  monthly: 30 * 86_400,
  yearly: 365 * 86_400,
};

const LONGEST_TTL_MINUTES = 366 * 24 * 60;

const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** Update hints of a feed; invalid values count as missing. */
export function readPublishingHints(feed: XmlNode, base: string): PublishingHints {
  return {
    ttlSeconds: readTtl(feed.textOf('ttl')),
    updatePeriodSeconds: readPeriod(
      feed.textOf('sy:updateperiod', 'syn:updateperiod'),
      feed.textOf('sy:updatefrequency', 'syn:updatefrequency'),
    ),
    skipHours: readHours(feed.all('skiphours').flatMap((skip) => skip.all('hour'))),
    skipDays: readDays(feed.all('skipdays').flatMap((skip) => skip.all('day'))),
    hubUrl: linked(feed, 'hub', base),
    selfUrl: linked(feed, 'self', base),
  };
}

function readTtl(text: string | null): number | null {
  const minutes = Number(text ?? Number.NaN);
  if (!(minutes > 0)) {
    return null;
  }
  return Math.round(Math.min(minutes, LONGEST_TTL_MINUTES) * 60);
}

function readPeriod(period: string | null, frequency: string | null): number | null {
  if (period === null && frequency === null) {
    return null;
  }
  // The module's own defaults: daily, once.
  const name = (period ?? 'daily').toLowerCase();
  const seconds = Object.hasOwn(PERIOD_SECONDS, name) ? PERIOD_SECONDS[name] : undefined;
  if (seconds === undefined) {
    return null;
  }
  const times = Number(frequency ?? 1);
  return Number.isFinite(times) && times >= 1 ? Math.round(seconds / times) : seconds;
}

function readHours(nodes: readonly XmlNode[]): number[] {
  const hours = nodes
    .map(({ text }) => (/^\d{1,2}$/.test(text) ? Number(text) : -1))
    .filter((hour) => hour >= 0 && hour <= 24)
    // Netscape counted from 1 to 24.
    .map((hour) => hour % 24);
  return [...new Set(hours)].sort((a, b) => a - b);
}

function readDays(nodes: readonly XmlNode[]): number[] {
  const days = nodes
    .map(({ text }) => DAYS.indexOf(text.toLowerCase()))
    .filter((day) => day !== -1);
  return [...new Set(days)].sort((a, b) => a - b);
}

function linked(feed: XmlNode, relation: string, base: string): string | null {
  for (const link of feed.all('atom:link', 'link')) {
    if (relationOf(link) !== relation) {
      continue;
    }
    const url = webAddress(link.attribute('href'), link.attribute('base') ?? base);
    if (url !== null) {
      return url;
    }
  }
  return null;
}
