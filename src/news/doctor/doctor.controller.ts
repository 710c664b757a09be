import { HttpCode } from '@nestjs/common';
import { Get, Post } from '../../common/contracts/routes.js';
import { AdminGuard, ProgramsToo } from '../../common/auth/admin.guard.js';
import { ChangingGet } from '../../common/auth/changing-get.decorator.js';
import { Input, type In } from '../../common/http/input.decorator.js';
import { EVERY_LEVEL, NewsController } from '../http/levels.js';
import { AddressDoctor } from './address-doctor.service.js';
import { Examine, Retry } from './doctor.input.js';
import { FeedDoctor } from './feed-doctor.service.js';
import { ExaminationAnswer, RetryAnswer } from './feed-status.wire.js';

/**
 * The feed doctor for administrators: the state of a source, or what a subscription to an address
 * would do. Not part of the specification.
 *
 * @see docs/operations/fetching.md "The feed doctor"
 */
@NewsController(EVERY_LEVEL, 'doctor', AdminGuard)
export class DoctorController {
  constructor(
    private readonly feedDoctor: FeedDoctor,
    private readonly addressDoctor: AddressDoctor,
  ) {}

  /** With `url=` it fetches the address. */
  @Get('', 'Examines a source, or what a subscription to an address would do.', ExaminationAnswer)
  @ChangingGet()
  async examine(@Input(Examine) asked: In<typeof Examine>): Promise<object> {
    const showQueries = asked.showQueries === 'true';
    if (asked.url !== undefined) {
      return this.addressDoctor.examine(asked.url, showQueries);
    }
    return this.feedDoctor.examineSource(await this.#sourceOf(asked), showQueries);
  }

  @Post('retry', 'Fetches a source now, and examines it.', RetryAnswer)
  @HttpCode(200)
  @ProgramsToo()
  async retry(@Input(Retry) asked: In<typeof Retry>): Promise<object> {
    const sourceId = await this.#sourceOf(asked);
    await this.feedDoctor.examineSource(sourceId);
    const result = await this.feedDoctor.retry(sourceId);
    return { result, source: await this.feedDoctor.examineSource(sourceId) };
  }

  async #sourceOf({ feedId, sourceId = 0 }: In<typeof Retry>): Promise<number> {
    return feedId === undefined ? sourceId : this.feedDoctor.sourceOfFeed(feedId);
  }
}
