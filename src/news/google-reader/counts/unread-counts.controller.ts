import { Get } from '../../../common/contracts/routes.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { GoogleReaderController } from '../http/google-reader-controller.decorator.js';
import { UnreadCountsService } from './unread-counts.service.js';
import { UnreadCountsAnswer } from './unread-counts.wire.js';

/** @see docs/google-reader-api.md "Counts" */
@GoogleReaderController()
export class UnreadCountsController {
  constructor(private readonly counts: UnreadCountsService) {}

  @Get('unread-count', 'Counts the unread items of every stream.', UnreadCountsAnswer)
  async list(@CurrentUser() { userId }: Account): Promise<object> {
    const counts = await this.counts.list(userId);
    return {
      max: counts[0]?.count ?? 0,
      unreadcounts: counts.map(({ stream, count, newestMicros }) => ({
        id: stream,
        count,
        newestItemTimestampUsec: String(newestMicros),
      })),
    };
  }
}
