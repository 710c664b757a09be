import { Injectable } from '@nestjs/common';
import { SealedValues } from '../../../common/ports/sealed-values.js';
import { shownAddress } from '../shown-address.js';
import { SourcesRepository } from '../sources.repository.js';
import { FeedAccessBox } from './feed-access.js';

/** The sealed headers of feeds, and what happens to them if the secret key is lost. */
@Injectable()
export class SealedAccess {
  constructor(
    sealed: SealedValues,
    private readonly sources: SourcesRepository,
    private readonly box: FeedAccessBox,
  ) {
    sealed.register({
      what: 'passwords and cookies of feeds',
      remedy: 'They are deleted. Users enter them again in the settings of their feeds.',
      lost: async () => (await this.#lost()).map(({ url }) => shownAddress(url)),
      replaceLost: async () =>
        this.sources.setAccess(
          (await this.#lost()).map(({ id }) => id),
          null,
        ),
    });
  }

  async #lost(): Promise<{ readonly id: number; readonly url: string }[]> {
    const sources = await this.sources.listWithAccess();
    return sources.filter(({ url, access }) => access !== null && !this.box.opens(url, access));
  }
}
