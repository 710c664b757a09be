import { z } from 'zod';
import { AdminGuard } from '../../common/auth/admin.guard.js';
import { ChangingGet } from '../../common/auth/changing-get.decorator.js';
import { Get } from '../../common/contracts/routes.js';
import { InTurn } from '../../common/http/answer-turns.js';
import { Input, type In } from '../../common/http/input.decorator.js';
import { orElse } from '../../common/http/loose-inputs.js';
import { EVERY_LEVEL, NewsController } from '../http/levels.guard.js';
import { DONE_MANY, DoneManyAnswer } from '../news.wire.js';
import { boolean, integer, text } from '../parameters.js';
import type { FeedOwner } from '../reader/feeds/followers.repository.js';
import { UpdateCycle } from './update-cycle.service.js';
import { UpdaterService } from './updater.service.js';

const FeedOwnersAnswer = z.object({
  feeds: z.array(z.object({ id: z.int(), userId: z.string() })),
});

const UpdateFeed = z.object({ userId: text, feedId: integer });

/** If `withoutGrace`, recently changed items are removed as well. */
const AfterUpdate = z.object({ withoutGrace: orElse(boolean, false) });

/**
 * The update cycle for an administrator's script.
 *
 * @see docs/spec/feed-reader-api.md "Updater (administrator only)"
 */
@NewsController(EVERY_LEVEL, '', AdminGuard)
export class UpdaterController {
  constructor(
    private readonly cycle: UpdateCycle,
    private readonly updater: UpdaterService,
  ) {}

  @Get('cleanup/before-update', 'Begins a round of updates.', DoneManyAnswer)
  @ChangingGet()
  async beforeUpdate() {
    await this.cycle.beforeUpdate();
    return DONE_MANY;
  }

  @InTurn()
  @Get('feeds/all', 'Lists the feeds of all users.', FeedOwnersAnswer)
  async everyFeed() {
    return { feeds: (await this.updater.everyFeed()).map(toFeedOwnerJson) };
  }

  @Get('feeds/update', 'Fetches a feed of a user.', DoneManyAnswer)
  @ChangingGet()
  async updateFeed(@Input(UpdateFeed) { userId, feedId }: In<typeof UpdateFeed>) {
    await this.updater.updateFeed(userId, feedId);
    return DONE_MANY;
  }

  @Get(
    'cleanup/after-update',
    'Ends a round of updates, and removes what is not needed.',
    DoneManyAnswer,
  )
  @ChangingGet()
  async afterUpdate(@Input(AfterUpdate) { withoutGrace }: In<typeof AfterUpdate>) {
    await this.cycle.afterUpdate({ grace: withoutGrace ? 'none' : 'until-known' });
    return DONE_MANY;
  }
}

/** @see docs/spec/feed-reader-api.md "Updater feed entry" */
function toFeedOwnerJson({ feedId, userId }: FeedOwner) {
  return { id: feedId, userId };
}
