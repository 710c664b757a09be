import { Get } from '@nestjs/common';
import type { z } from 'zod';
import { AdminGuard } from '../../common/auth/admin.guard.js';
import { ChangingGet } from '../../common/auth/changing-get.decorator.js';
import { Input } from '../../common/http/input.decorator.js';
import { DONE_MANY } from '../news.wire.js';
import { EVERY_LEVEL, NewsController } from '../levels.js';
import { UpdaterService } from './updater.service.js';
import { AfterUpdate, UpdateFeed } from '../api/inputs.js';
import { toFeedOwnerJson } from '../api/wire.js';

/**
 * What an administrator's script calls to keep everybody's feeds fresh.
 *
 * @see docs/spec/feed-reader-api.md "Updater (administrator only)"
 */
@NewsController(EVERY_LEVEL, '', AdminGuard)
export class UpdaterController {
  constructor(private readonly updater: UpdaterService) {}

  @Get('cleanup/before-update')
  @ChangingGet()
  async beforeUpdate(): Promise<typeof DONE_MANY> {
    await this.updater.beforeUpdate();
    return DONE_MANY;
  }

  @Get('feeds/all')
  async everyFeed(): Promise<object> {
    return { feeds: (await this.updater.everyFeed()).map(toFeedOwnerJson) };
  }

  @Get('feeds/update')
  @ChangingGet()
  async updateFeed(
    @Input(UpdateFeed) { userId, feedId }: z.output<typeof UpdateFeed>,
  ): Promise<typeof DONE_MANY> {
    await this.updater.updateFeed(userId, feedId);
    return DONE_MANY;
  }

  @Get('cleanup/after-update')
  @ChangingGet()
  async afterUpdate(
    @Input(AfterUpdate) { withoutGrace }: z.output<typeof AfterUpdate>,
  ): Promise<typeof DONE_MANY> {
    await this.updater.afterUpdate({ grace: withoutGrace ? 'none' : 'until-known' });
    return DONE_MANY;
  }
}
