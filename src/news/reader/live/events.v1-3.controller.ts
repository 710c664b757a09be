import { Res } from '@nestjs/common';
import type { Response } from 'express';
import { Get } from '../../../common/contracts/routes.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { Shares } from '../../../common/http/shares.js';
import { whenClosed } from '../../../common/http/when-closed.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { LiveUpdates } from './live-updates.service.js';
import { EventStream, type StreamPace } from './event-stream.js';
import { NewsController, V1_3 } from '../../http/levels.js';
import { Media } from '../../../common/contracts/operation.decorator.js';
import { z } from 'zod';
import { integer, text } from '../../parameters.js';
import { CLIENT_NAME } from '../../http/requesting-client.js';

const Listen = z.object({
  client: z.preprocess(
    (value) => value ?? null,
    z.union([z.null(), text.regex(CLIENT_NAME)], {
      error: 'must have at most 64 letters, digits, _ and -',
    }),
  ),
  since: integer.optional(),
});

/**
 * Live updates as server-sent events. Not part of the specification.
 *
 * @see docs/news-api.md "Live updates"
 */
@NewsController(V1_3, 'events')
export class EventsV13Controller {
  pace: StreamPace = { heartbeatMs: 25_000, longestMs: 1_800_000 };

  constructor(
    private readonly live: LiveUpdates,
    private readonly shares: Shares,
  ) {}

  @Get('', 'Reports changes as they happen.', new Media('text/event-stream', 'Server-sent events.'))
  async listen(
    @CurrentUser() user: Account,
    @Input(Listen) { client, since }: In<typeof Listen>,
    @Res() response: Response,
  ): Promise<void> {
    whenClosed(response, this.shares.take('live updates', user.userId));
    const stream = new EventStream(response, this.pace);
    const gone = new Promise<void>((resolve) => whenClosed(response, resolve));
    const close = await this.live.open(user.userId, client, stream);
    if (since !== undefined) {
      await this.live.reportMissed(user.userId, since, stream);
    }
    stream.begin();
    void gone.then(close);
  }
}
