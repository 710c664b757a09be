import { z } from 'zod';
import { AdminGuard, ProgramsToo } from '../../common/auth/admin.guard.js';
import { ChangingGet } from '../../common/auth/changing-get.decorator.js';
import { ApiPost, Get } from '../../common/contracts/routes.js';
import { Input, type In } from '../../common/http/input.decorator.js';
import { wholeNumberThat } from '../../common/http/loose-inputs.js';
import { shownSentence } from '../../common/texts/visitor-language.js';
import { EVERY_LEVEL, NewsController, V1_3 } from '../http/levels.guard.js';
import { FeedPath } from '../parameters.js';
import { CurrentReader } from '../reader/delivery/current-reader.decorator.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { AddressDoctor } from './address-doctor.service.js';
import { FeedDoctor, type SourceReport } from './feed-doctor.service.js';

const id = wholeNumberThat((int) => int.positive()).optional();

/** A feed, a source or an address to examine. */
export const Examine = z
  .object({
    feedId: id,
    sourceId: id,
    url: z.string().min(1).optional(),
    showQueries: z.enum(['true', 'false']).default('false'),
  })
  .refine(
    ({ feedId, sourceId, url }) =>
      [feedId, sourceId, url].filter((given) => given !== undefined).length === 1,
    'give one of feedId, sourceId and url',
  );

/** A feed or a source to fetch now. */
export const Retry = z
  .object({ feedId: id, sourceId: id })
  .refine(
    ({ feedId, sourceId }) => (feedId === undefined) !== (sourceId === undefined),
    'give either feedId or sourceId',
  );

const SHOWN_ATTEMPTS = 10;

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

/**
 * The feed doctor for administrators: the state of a source, or the effect of a subscription to an address.
 * Not part of the specification.
 *
 * @see docs/operations/fetching.md "The feed doctor"
 */
@NewsController(EVERY_LEVEL, 'doctor', AdminGuard)
export class DoctorController {
  constructor(
    private readonly feedDoctor: FeedDoctor,
    private readonly addressDoctor: AddressDoctor,
  ) {}

  /** Fetches the address in `url=`. */
  @Get('', 'Examines a source, or what a subscription to an address would do.', ExaminationAnswer)
  @ChangingGet()
  async examine(@Input(Examine) asked: In<typeof Examine>) {
    const showQueries = asked.showQueries === 'true';
    if (asked.url !== undefined) {
      return this.addressDoctor.examine(asked.url, showQueries);
    }
    return this.feedDoctor.examineSource(await this.#sourceOf(asked), showQueries);
  }

  @ApiPost('retry', 'Fetches a source now, and examines it.', RetryAnswer)
  @ProgramsToo()
  async retry(@Input(Retry) asked: In<typeof Retry>) {
    const sourceId = await this.#sourceOf(asked);
    await this.feedDoctor.examineSource(sourceId);
    const result = await this.feedDoctor.retry(sourceId);
    return { result, source: await this.feedDoctor.examineSource(sourceId) };
  }

  async #sourceOf({ feedId, sourceId = 0 }: In<typeof Retry>): Promise<number> {
    return feedId === undefined ? sourceId : this.feedDoctor.sourceOfFeed(feedId);
  }
}

/** The state of a source for the owner of a feed, without data of other followers. */
export function toStatusJson(feedId: number, report: SourceReport) {
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

/**
 * The state of a user's own feed. Not part of the specification.
 *
 * @see docs/news-api.md "Beyond the specification"
 */
@NewsController(V1_3, 'feeds')
export class FeedStatusV13Controller {
  constructor(private readonly doctor: FeedDoctor) {}

  @Get(':feedId/status', 'Tells how the fetches of a feed went.', FeedStatusAnswer)
  async status(@CurrentReader() reader: Reader, @Input(FeedPath) { feedId }: In<typeof FeedPath>) {
    return toStatusJson(feedId, await this.doctor.examineFeed(reader, feedId));
  }
}
