import { z } from 'zod';
import { shownSentence } from '../../common/texts/visitor-language.js';
import type { SourceReport } from './feed-doctor.service.js';

const SHOWN_ATTEMPTS = 10;

/** The state of a source for the owner of a feed, without data of other followers. */
export function toStatusJson(feedId: number, report: SourceReport): object {
  return {
    feedId,
    health: report.health,
    fetchedFrom: report.fetchedFrom,
    lastUpdateTime: report.fetchedAt,
    nextUpdateTime: report.due?.at ?? null,
    nextUpdateReason: report.due?.why ?? null,
    beingFetched: report.due?.beingFetched ?? false,
    pushed: report.hub?.state === 'active',
    updateErrorCount: report.errorsInRow,
    lastUpdateError: shownSentence(report.lastError),
    warning: shownSentence(report.warning),
    attempts: report.attempts.slice(0, SHOWN_ATTEMPTS).map((attempt) => ({
      at: attempt.atSeconds,
      outcome: attempt.outcome,
      status: attempt.status,
      durationMs: attempt.durationMs,
      newItems: attempt.newItems,
      changedItems: attempt.changedItems,
      message: shownSentence(attempt.message),
    })),
  };
}

const attemptFields = {
  outcome: z.string(),
  status: z.int().nullable(),
  durationMs: z.int().nullable(),
  newItems: z.int(),
  changedItems: z.int(),
  message: z.string().nullable(),
};

const seconds = z.int().describe('Unix seconds.');

export const FeedStatusAnswer = z.object({
  feedId: z.int(),
  health: z.enum(['healthy', 'failing', 'gone', 'never fetched']),
  fetchedFrom: z.string(),
  lastUpdateTime: seconds.nullable(),
  nextUpdateTime: seconds.nullable(),
  nextUpdateReason: z.string().nullable(),
  beingFetched: z.boolean(),
  pushed: z.boolean(),
  updateErrorCount: z.int(),
  lastUpdateError: z.string().nullable(),
  warning: z.string().nullable(),
  attempts: z.array(z.object({ at: seconds, ...attemptFields })),
});

const SourceSchema = z
  .object({
    sourceId: z.int(),
    title: z.string(),
    address: z.string(),
    fetchedFrom: z.string(),
    announcedMove: z.object({ to: z.string(), sightings: z.int() }).nullable(),
    followers: z.int(),
    isGiven: z.boolean(),
    health: z.enum(['healthy', 'failing', 'gone', 'never fetched']),
    errorsInRow: z.int(),
    lastError: z.string().nullable(),
    warning: z.string().nullable(),
    fetchedAt: seconds.nullable(),
    due: z
      .object({
        at: seconds,
        why: z.string(),
        beingFetched: z.boolean(),
        hostPausedUntil: seconds.nullable(),
      })
      .nullable(),
    hub: z.object({ state: z.string(), expiresAt: seconds.nullable() }).nullable(),
    attempts: z.array(
      z.object({
        atSeconds: seconds,
        ...attemptFields,
        bytes: z.int().nullable(),
        decision: z.string().nullable(),
        dueAtSeconds: seconds,
      }),
    ),
    failedDocument: z
      .object({
        at: seconds,
        message: z.string(),
        contentType: z.string().nullable(),
        bytes: z.int(),
        beginning: z.string(),
      })
      .nullable(),
  })
  .meta({ id: 'Source' });

/** A source, or the steps of a subscription to an address. */
export const ExaminationAnswer = z.union([
  SourceSchema,
  z.object({
    steps: z.array(z.object({ step: z.string(), ok: z.boolean(), text: z.string() })),
    feeds: z.array(z.string()),
    source: SourceSchema.nullable(),
  }),
]);

export const RetryAnswer = z.object({
  result: z.object({ outcome: z.string(), message: z.string().optional() }),
  source: SourceSchema,
});
