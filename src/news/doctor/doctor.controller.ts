import { Get, HttpCode, Post } from '@nestjs/common';
import { z } from 'zod';
import { AdminGuard, ProgramsToo } from '../../common/auth/admin.guard.js';
import { ChangingGet } from '../../common/auth/changing-get.decorator.js';
import { Input } from '../../common/http/input.decorator.js';
import { FeedDoctor } from './feed-doctor.service.js';
import { EVERY_LEVEL, NewsController } from '../levels.js';

const id = z.coerce.number().int().positive().optional();

const Patient = z
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

const Retried = z
  .object({ feedId: id, sourceId: id })
  .refine(
    ({ feedId, sourceId }) => (feedId === undefined) !== (sourceId === undefined),
    'give either feedId or sourceId',
  );

/**
 * The feed doctor for administrators: how a feed is doing and why, or what would happen with an
 * address. Not part of the specification.
 *
 * @see docs/operations.md "The feed doctor"
 */
@NewsController(EVERY_LEVEL, 'doctor', AdminGuard)
export class DoctorController {
  constructor(private readonly doctor: FeedDoctor) {}

  /** With `url=` it goes out and fetches. */
  @Get()
  @ChangingGet()
  async examine(@Input(Patient) patient: z.output<typeof Patient>): Promise<object> {
    const showQueries = patient.showQueries === 'true';
    if (patient.url !== undefined) {
      return this.doctor.examineAddress(patient.url, showQueries);
    }
    return this.doctor.examineSource(await this.#sourceOf(patient), showQueries);
  }

  @Post('retry')
  @HttpCode(200)
  @ProgramsToo()
  async retry(@Input(Retried) patient: z.output<typeof Retried>): Promise<object> {
    const sourceId = await this.#sourceOf(patient);
    await this.doctor.examineSource(sourceId);
    const result = await this.doctor.retry(sourceId);
    return { result, source: await this.doctor.examineSource(sourceId) };
  }

  async #sourceOf({
    feedId,
    sourceId = 0,
  }: {
    readonly feedId?: number | undefined;
    readonly sourceId?: number | undefined;
  }): Promise<number> {
    return feedId === undefined ? sourceId : this.doctor.sourceOfFeed(feedId);
  }
}
