import { Get } from '../../common/contracts/routes.js';
import { CurrentUser } from '../../common/http/current-user.decorator.js';
import { Input, type In } from '../../common/http/input.decorator.js';
import type { Account } from '../../common/ports/user-directory.js';
import { FeedPath } from '../parameters.js';
import { NewsController, V1_3 } from '../http/levels.js';
import { FeedStatusService } from './feed-status.service.js';
import { toStatusJson, FeedStatusAnswer } from './feed-status.wire.js';

/**
 * The state of a user's own feed. Not part of the specification.
 *
 * @see docs/news-api.md "Beyond the specification"
 */
@NewsController(V1_3, 'feeds')
export class FeedStatusV13Controller {
  constructor(private readonly statuses: FeedStatusService) {}

  @Get(':feedId/status', 'Tells how the fetches of a feed went.', FeedStatusAnswer)
  async status(
    @CurrentUser() user: Account,
    @Input(FeedPath) { feedId }: In<typeof FeedPath>,
  ): Promise<object> {
    return toStatusJson(feedId, await this.statuses.of(user.userId, feedId));
  }
}
