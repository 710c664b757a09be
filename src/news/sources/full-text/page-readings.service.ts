import { Injectable } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { tooMany } from '../../../common/errors/domain-error.js';
import { OutgoingHttpError } from '../../../common/http/outgoing-errors.js';
import { Allowances } from '../../../common/ports/allowances.js';
import { HOUR_SECONDS } from '../../../common/units.js';
import type { SeenPage } from './fetch-article.service.js';
import { FullTextService } from './full-text.service.js';

class TooManyPages extends tooMany(
  (most: number, retryAfterSeconds: number) =>
    `You had ${most} full texts fetched within an hour; try again in ${Math.ceil(retryAfterSeconds / 60)} min.`,
  (_most, retryAfterSeconds) => ({ retryAfterSeconds }),
) {}

/** Too many pages of the process, or of one host, are being read. */
export class PagesBusy extends tooMany(
  'Too many web pages are being read. Try again in a moment.',
  { retryAfterSeconds: 10 },
) {}

/** A page whose server gave no usable answer, or gets no request now. */
export interface UnseenPage {
  /** Why: a sentence. */
  readonly problem: string;
  /** Whether the server gets no request now, since it had others. */
  readonly isResting: boolean;
}

/** Reads pages for users who wait, so many in an hour. */
@Injectable()
export class PageReadings {
  waitSeconds = 20;

  constructor(
    private readonly config: Config,
    private readonly pages: FullTextService,
    private readonly allowances: Allowances,
  ) {}

  /** @throws TooManyPages, PagesBusy, and OutgoingHttpError of the kind `invalid` for addresses that are not allowed */
  async read(userId: string, url: string): Promise<SeenPage | UnseenPage> {
    await this.#count(userId);
    try {
      const seen = await this.pages.readNow(url, this.waitSeconds);
      if (seen === 'busy') {
        throw new PagesBusy();
      }
      const { host } = new URL(url);
      return seen === 'resting'
        ? { problem: `The server at ${host} wants no further requests for now.`, isResting: true }
        : seen;
    } catch (error) {
      if (error instanceof OutgoingHttpError && error.kind !== 'invalid') {
        return { problem: error.message, isResting: false };
      }
      throw error;
    }
  }

  async #count(userId: string): Promise<void> {
    if (!this.config.rateLimits) {
      return;
    }
    const most = this.config.limits['full-texts-per-user-and-hour'];
    const allowance = { kind: 'full texts', most, periodSeconds: HOUR_SECONDS };
    const { granted, waitSeconds } = await this.allowances.take(userId, allowance);
    if (granted === 0) {
      throw new TooManyPages(most, waitSeconds);
    }
  }
}
