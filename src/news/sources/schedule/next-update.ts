import type { CachingHeaders } from '../fetch/caching-headers.js';
import type { DownloadFailure } from '../fetch/download-feed.js';
import type { PublishingHints } from '../../feed-parser/parsed-feed.js';

/** All times are unix seconds. */
export interface UpdateCircumstances {
  readonly nowSeconds: number;
  /** How the fetch that just ended went. */
  readonly outcome: 'ok' | FailedUpdate;
  /** Failures in a row, this one included; 0 after a success. */
  readonly errorCount: number;
  /** Of the newest articles, in any order; empty when unknown. */
  readonly recentPubDatesSeconds: readonly number[];
  readonly caching: CachingHeaders | null;
  readonly hints: PublishingHints | null;
  /** No feed is asked more often than this. */
  readonly minIntervalSeconds: number;
  /** A feed that publishes now and then is asked at least this often. */
  readonly maxIntervalSeconds: number;
  /** A feed that fell quiet, and one whose publisher asks for patience, may wait this long. */
  readonly sleepyMaxSeconds: number;
  /** Random, from 0 up to but not including 1. */
  readonly jitter: number;
}

export interface FailedUpdate {
  readonly failed: DownloadFailure | 'not-a-feed';
  readonly retryAfterSeconds: number | null;
}

export interface NextUpdate {
  /** From now on: a moment in time would be wrong as soon as a clock is set right. */
  readonly waitSeconds: number;
  /** For the log. */
  readonly reason: string;
}

/** A wait, and what has to be observed when it is spread. */
interface Wait {
  readonly seconds: number;
  /** Somebody asked not to be called earlier. */
  readonly atLeastSeconds: number;
  readonly atMostSeconds: number;
  readonly reason: string;
}

const HOUR = 3600;
const DAY = 24 * HOUR;

const QUIET_AFTER_SECONDS = 7 * DAY;
const ASLEEP_AFTER_SECONDS = 30 * DAY;
const GONE_PROBE_SECONDS = 7 * DAY;

const FIRST_BACK_OFF_SECONDS = 600;

/** Older articles say nothing about how often a feed publishes nowadays. */
const RHYTHM_FROM_ARTICLES = 20;

/** Asking twice per usual gap finds a new article after a quarter of that gap on average. */
const VISITS_PER_GAP = 2;

/** How far the wait is spread around its length, so that feeds do not march in step. */
export const SPREAD = 0.1;

/**
 * When to ask a publisher again.
 *
 * A healthy feed is asked according to its own rhythm, more rarely when it fell quiet or when the
 * publisher asks for it, and not in the hours and days it named. A failing one is asked ever more
 * rarely, yet always again.
 */
export function nextUpdateIn(circumstances: UpdateCircumstances): NextUpdate {
  const { nowSeconds, outcome, hints, jitter } = circumstances;
  const wait = outcome === 'ok' ? healthyWait(circumstances) : failingWait(circumstances, outcome);
  const dueAtSeconds = nowSeconds + spread(wait, jitter);
  const allowedAtSeconds = hints ? nextAllowedTime(dueAtSeconds, hints, jitter) : dueAtSeconds;
  return {
    waitSeconds: allowedAtSeconds - nowSeconds,
    reason:
      allowedAtSeconds === dueAtSeconds ? wait.reason : 'the publisher skips the hours before',
  };
}

function healthyWait(circumstances: UpdateCircumstances): Wait {
  const { minIntervalSeconds, maxIntervalSeconds, sleepyMaxSeconds } = circumstances;
  const atMostSeconds = Math.max(maxIntervalSeconds, sleepyMaxSeconds);
  const own = ownRhythm(circumstances);
  const asked = Math.min(publisherWaitSeconds(circumstances), atMostSeconds);
  if (asked > own.seconds) {
    return { seconds: asked, atLeastSeconds: asked, atMostSeconds, reason: 'the publisher asks' };
  }
  const atLeastSeconds = Math.max(asked, Math.min(minIntervalSeconds, maxIntervalSeconds));
  return { ...own, atLeastSeconds, atMostSeconds };
}

function ownRhythm(circumstances: UpdateCircumstances): { seconds: number; reason: string } {
  const { nowSeconds, minIntervalSeconds, maxIntervalSeconds, sleepyMaxSeconds } = circumstances;
  // A date in the future says when somebody wants to be on top, not when they published.
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
  // Counting the silence up to now lets the wait grow when a busy feed slows down.
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
  const backOff = Math.min(FIRST_BACK_OFF_SECONDS * 2 ** doublings, atMostSeconds);
  const atLeastSeconds = Math.min(minIntervalSeconds, maxIntervalSeconds);
  const seconds = Math.max(backOff, atLeastSeconds);
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

/** Picks a moment within 10 % of the wait, as far as its bounds leave room. */
function spread({ seconds, atLeastSeconds, atMostSeconds }: Wait, jitter: number): number {
  const latest = Math.min(seconds * (1 + SPREAD), atMostSeconds);
  // At the upper bound only earlier is left, even of what a publisher asks for.
  const earliest = Math.min(Math.max(seconds * (1 - SPREAD), atLeastSeconds), latest);
  const from = earliest < latest ? earliest : latest * (1 - SPREAD);
  return Math.round(from + (latest - from) * jitter);
}

/** The given time, or else a moment early in the next hour that the publisher does not skip. */
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
  // Somebody who skips every hour of the week made a mistake.
  return allowed === undefined ? atSeconds : allowed + Math.round(jitter * HOUR * SPREAD);
}
