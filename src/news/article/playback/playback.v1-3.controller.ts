import { Get, Put } from '@nestjs/common';
import type { z } from 'zod';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { Input } from '../../../common/http/input.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { NewsController, V1_3 } from '../../http/levels.js';
import { Heard } from './playback.input.js';
import { PlaybackService } from './playback.service.js';
import { toPositionJson, PositionsAnswer, PositionAnswer } from './playback.wire.js';
import { Operation } from '../../../common/contracts/operation.decorator.js';

/**
 * How far recordings were listened to: an extension of the reference.
 *
 * @see docs/news-api.md "Positions in recordings"
 */
@NewsController(V1_3, 'playback')
export class PlaybackV13Controller {
  constructor(private readonly playback: PlaybackService) {}

  @Get()
  @Operation('Lists how far recordings were listened to.', PositionsAnswer)
  async list(@CurrentUser() user: Account) {
    const positions = await this.playback.list(user.userId);
    return { positions: positions.map((position) => toPositionJson(position)) };
  }

  @Put(':itemId')
  @Operation('Keeps how far a recording was listened to.', PositionAnswer)
  async keep(
    @CurrentUser() user: Account,
    @Input(Heard) { position, duration, ...heard }: z.output<typeof Heard>,
  ) {
    const kept = await this.playback.keep(user.userId, {
      ...heard,
      positionSeconds: position,
      durationSeconds: duration,
    });
    return { position: toPositionJson(kept) };
  }
}
