import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { SealedValues } from '../../common/ports/sealed-values.js';
import { ExAppsRepository } from '../apps/ex-apps.repository.js';
import { TalkBotsService } from '../bots/talk-bots.service.js';
import { ValuesRepository } from '../values/values.repository.js';

/** The encrypted values of this room, and their replacement if the secret key is lost. */
@Injectable()
export class SealedAppValues {
  constructor(
    sealed: SealedValues,
    private readonly exApps: ExAppsRepository,
    private readonly values: ValuesRepository,
    private readonly talkBots: TalkBotsService,
  ) {
    sealed.register({
      what: 'secrets of external apps',
      remedy:
        'They are replaced by random ones. Set the secret of each app: APP_SECRET=… gatefold app_api:app:secret APP_ID',
      lost: () => this.exApps.idsWithLostSecret(),
      replaceLost: () => this.#replaceSecrets(),
    });
    // Registered before the bots, whose new secrets are stored as values.
    sealed.register({
      what: 'sensitive values of external apps',
      remedy: 'They are deleted. Enter them again in the apps, or with app_api:app:config:set.',
      lost: async () => (await this.values.lost()).map(({ name }) => name),
      replaceLost: () => this.#removeValues(),
    });
    sealed.register({
      what: 'secrets of chat bots',
      remedy:
        'New ones were generated. Disable and enable each app, so that it registers its bots again.',
      lost: async () => (await this.talkBots.lost()).map(({ appId, key }) => `${appId} ${key}`),
      replaceLost: () => this.#renewBots(),
    });
  }

  async #replaceSecrets(): Promise<void> {
    for (const appId of await this.exApps.idsWithLostSecret()) {
      await this.exApps.setSecret(appId, randomBytes(64).toString('hex'));
    }
  }

  async #removeValues(): Promise<void> {
    const lost = await this.values.lost();
    await this.values.removeByIds(lost.map(({ id }) => id));
  }

  async #renewBots(): Promise<void> {
    for (const { appId, key } of await this.talkBots.lost()) {
      await this.talkBots.renewSecret(appId, key);
    }
  }
}
