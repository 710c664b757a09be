import { Get, Put } from '../../../common/contracts/routes.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { NewsController, V1_3 } from '../../http/levels.js';
import { Heard } from './playback.input.js';
import { PlaybackService } from './playback.service.js';
import { toPositionJson, PositionsAnswer, PositionAnswer } from './playback.wire.js';

/**
 * How far recordings were listened to: an extension of the reference.
 *
 * @see docs/news-api.md "Positions in recordings"
 */
@NewsController(V1_3, 'playback')
export class PlaybackV13Controller {
  constructor(private readonly playback: PlaybackService) {}

  @Get('', 'Lists how far recordings were listened to.', PositionsAnswer)
  async list(@CurrentUser() user: Account) {
    const positions = await this.playback.list(user.userId);
    return { positions: positions.map((position) => toPositionJson(position)) };
  }

  @Put(':itemId', 'Keeps how far a recording was listened to.', PositionAnswer)
  async keep(
    @CurrentUser() user: Account,
    @Input(Heard) { position, duration, ...heard }: In<typeof Heard>,
  ) {
    const kept = await this.playback.keep(user.userId, {
      ...heard,
      positionSeconds: position,
      durationSeconds: duration,
    });
    return { position: toPositionJson(kept) };
  }
}
