import type { PublishingHints } from '../../feed-parser/parsed-feed.js';
import type { CachingHeaders } from '../fetch/caching-headers.js';
import type { DownloadFailure } from '../fetch/download-feed.js';

/** All times are unix seconds. */
export interface UpdateCircumstances {
  readonly nowSeconds: number;
  /** Outcome of the last fetch. */
  readonly outcome: 'ok' | FailedUpdate;
  /** Failures in a row, including this one; 0 after a success. */
  readonly errorCount: number;
  /** Dates of the newest articles, in any order; may be empty. */
  readonly recentPubDatesSeconds: readonly number[];
  readonly caching: CachingHeaders | null;
  readonly hints: PublishingHints | null;
  /** Minimum for any feed. */
  readonly minIntervalSeconds: number;
  /** Maximum for a feed that publishes regularly. */
  readonly maxIntervalSeconds: number;
  /** Maximum for a feed without new articles, and for publishers' requested waits. */
  readonly sleepyMaxSeconds: number;
  /** The interval that followers want; null without. Politeness towards the publisher goes first. */
  readonly wanted?: WantedInterval | null;
  /** Random, from 0 up to but not including 1. */
  readonly jitter: number;
}

interface WantedInterval {
  readonly seconds: number;
  /** False if some followers want the feed's own rhythm; then the shorter of the two counts. */
  readonly byAll: boolean;
}

interface FailedUpdate {
  readonly failed: DownloadFailure | 'not-a-feed';
  readonly retryAfterSeconds: number | null;
}

export interface NextUpdate {
  /** Relative, since a point in time would be wrong after a clock was corrected. */
  readonly waitSeconds: number;
  /** Reason for the log and the feed doctor. */
  readonly reason: string;
}

/** A wait, and the bounds for its jitter. */
interface Wait {
  readonly seconds: number;
  readonly atLeastSeconds: number;
  readonly atMostSeconds: number;
  readonly reason: string;
}

const HOUR = 3600;
const DAY = 24 * HOUR;

const QUIET_AFTER_SECONDS = 7 * DAY;
const ASLEEP_AFTER_SECONDS = 30 * DAY;
const GONE_PROBE_SECONDS = 7 * DAY;

const FIRST_BACKOFF_SECONDS = 600;

/** Older articles do not show how often the feed publishes now. */
const RHYTHM_FROM_ARTICLES = 20;

/** Two fetches per usual gap find a new article after a quarter of the gap on average. */
const VISITS_PER_GAP = 2;

/** Reasons for a wait begin with it if the publisher asked for the wait. */
export const PUBLISHER_WANTS = 'the publisher ';

export const FOLLOWERS_WANT = 'its readers want it';

/** Jitter of a wait, as a share of it, so that feeds do not synchronise. */
export const SPREAD = 0.1;

/**
 * When to fetch a feed again.
 *
 * The interval of a healthy feed follows its publishing rhythm; it is longer when nothing was published
 * for a week or when the publisher asks for it, and skips the hours and days that the publisher named.
 * A failing feed has an exponential backoff and is never given up.
 */
export function nextUpdateIn(circumstances: UpdateCircumstances): NextUpdate {
  const { nowSeconds, outcome, hints, jitter } = circumstances;
  const wait = outcome === 'ok' ? healthyWait(circumstances) : failingWait(circumstances, outcome);
  const dueAtSeconds = nowSeconds + spread(wait, jitter);
  const allowedAtSeconds = hints ? nextAllowedTime(dueAtSeconds, hints, jitter) : dueAtSeconds;
  return {
    waitSeconds: allowedAtSeconds - nowSeconds,
    reason:
      allowedAtSeconds === dueAtSeconds ? wait.reason : `${PUBLISHER_WANTS}skips the hours before`,
  };
}

function healthyWait(circumstances: UpdateCircumstances): Wait {
  const { minIntervalSeconds, maxIntervalSeconds, sleepyMaxSeconds, wanted = null } = circumstances;
  const rhythm = ownRhythm(circumstances);
  const isWanted = wanted !== null && (wanted.byAll || wanted.seconds < rhythm.seconds);
  const own = isWanted ? { seconds: wanted.seconds, reason: FOLLOWERS_WANT } : rhythm;
  const atMostSeconds = Math.max(
    maxIntervalSeconds,
    sleepyMaxSeconds,
    isWanted ? Math.round(wanted.seconds * (1 + SPREAD)) : 0,
  );
  const asked = Math.min(publisherWaitSeconds(circumstances), atMostSeconds);
  if (asked > own.seconds) {
    const reason = `${PUBLISHER_WANTS}asks`;
    return { seconds: asked, atLeastSeconds: asked, atMostSeconds, reason };
  }
  if (isWanted) {
    const seconds = Math.max(own.seconds, Math.min(minIntervalSeconds, maxIntervalSeconds));
    return { ...own, seconds, atLeastSeconds: seconds, atMostSeconds };
  }
  const atLeastSeconds = Math.max(asked, Math.min(minIntervalSeconds, maxIntervalSeconds));
  return { ...own, atLeastSeconds, atMostSeconds };
}

function ownRhythm(circumstances: UpdateCircumstances): { seconds: number; reason: string } {
  const { nowSeconds, minIntervalSeconds, maxIntervalSeconds, sleepyMaxSeconds } = circumstances;
  // Publishers date entries in the future to keep them on top.
  const published = circumstances.recentPubDatesSeconds
    .filter((seconds) => seconds <= nowSeconds)
    .sort((a, b) => b - a)
    .slice(0, RHYTHM_FROM_ARTICLES);
  const [newest] = published;
  const oldest = published.at(-1);
  if (newest === undefined || oldest === undefined) {
    return { seconds: maxIntervalSeconds, reason: 'no rhythm is known' };
  }
  const silentForSeconds = nowSeconds - newest;
  if (silentForSeconds > QUIET_AFTER_SECONDS) {
    const sleepiness = Math.min(1, silentForSeconds / ASLEEP_AFTER_SECONDS);
    const seconds = Math.max(maxIntervalSeconds, Math.round(sleepyMaxSeconds * sleepiness));
    return { seconds, reason: 'nothing new for over a week' };
  }
  // Includes the time since the newest article, so that the wait grows when a feed slows down.
  const gapSeconds = (nowSeconds - oldest) / published.length;
  const seconds = Math.max(minIntervalSeconds, Math.round(gapSeconds / VISITS_PER_GAP));
  return { seconds: Math.min(seconds, maxIntervalSeconds), reason: 'its own rhythm' };
}

function publisherWaitSeconds({ nowSeconds, caching, hints }: UpdateCircumstances): number {
  return Math.max(
    hints?.ttlSeconds ?? 0,
    hints?.updatePeriodSeconds ?? 0,
    caching?.maxAgeSeconds ?? 0,
    caching?.expiresAtSeconds ? caching.expiresAtSeconds - nowSeconds : 0,
  );
}

function failingWait(circumstances: UpdateCircumstances, outcome: FailedUpdate): Wait {
  const { errorCount, minIntervalSeconds, maxIntervalSeconds, sleepyMaxSeconds } = circumstances;
  if (outcome.failed === 'gone') {
    const atMostSeconds = GONE_PROBE_SECONDS * (1 + SPREAD);
    return { seconds: GONE_PROBE_SECONDS, atLeastSeconds: 0, atMostSeconds, reason: 'it is gone' };
  }
  const atMostSeconds = Math.max(maxIntervalSeconds, sleepyMaxSeconds);
  const doublings = Math.max(0, errorCount - 1);
  const backoff = Math.min(FIRST_BACKOFF_SECONDS * 2 ** doublings, atMostSeconds);
  const atLeastSeconds = Math.min(minIntervalSeconds, maxIntervalSeconds);
  const seconds = Math.max(backoff, atLeastSeconds);
  const retryAfter = outcome.retryAfterSeconds ?? 0;
  if (retryAfter > seconds) {
    return {
      seconds: retryAfter,
      atLeastSeconds: retryAfter,
      atMostSeconds: retryAfter * (1 + SPREAD),
      reason: 'the server asks for patience',
    };
  }
  return {
    seconds,
    atLeastSeconds: Math.max(atLeastSeconds, retryAfter),
    atMostSeconds,
    reason: `error ${errorCount} in a row`,
  };
}

/** Adds jitter of up to 10 % within the bounds of the wait. */
function spread({ seconds, atLeastSeconds, atMostSeconds }: Wait, jitter: number): number {
  const latest = Math.min(seconds * (1 + SPREAD), atMostSeconds);
  // At the upper bound, the jitter only shortens the wait, even below the publisher's.
  const earliest = Math.min(Math.max(seconds * (1 - SPREAD), atLeastSeconds), latest);
  const from = earliest < latest ? earliest : latest * (1 - SPREAD);
  return Math.round(from + (latest - from) * jitter);
}

/** The given time, or a time early in the next hour that the publisher does not skip. */
function nextAllowedTime(atSeconds: number, hints: PublishingHints, jitter: number): number {
  const isSkipped = (seconds: number): boolean => {
    const date = new Date(seconds * 1000);
    return (
      hints.skipHours.includes(date.getUTCHours()) || hints.skipDays.includes(date.getUTCDay())
    );
  };
  if (!isSkipped(atSeconds)) {
    return atSeconds;
  }
  const nextHourSeconds = (Math.floor(atSeconds / HOUR) + 1) * HOUR;
  const hoursOfAWeek = Array.from({ length: 7 * 24 }, (_, hour) => nextHourSeconds + hour * HOUR);
  const allowed = hoursOfAWeek.find((seconds) => !isSkipped(seconds));
  // A publisher that skips every hour of the week made a mistake.
  return allowed === undefined ? atSeconds : allowed + Math.round(jitter * HOUR * SPREAD);
}
