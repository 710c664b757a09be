import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import type { SqlRunner } from '../../../database/database.js';
import { UserPlacesRepository } from '../items/user-places.repository.js';
import { ChannelsRepository } from '../notices/channels.repository.js';
import { NoticesRepository } from '../notices/notices.repository.js';
import { channelsOf, type Moment } from './rule-set.js';
import type { Rule } from './rules.repository.js';

/** What conditions and actions of rules refer to. */
@Injectable()
export class RuleMoments {
  constructor(
    private readonly places: UserPlacesRepository,
    private readonly channels: ChannelsRepository,
    private readonly notices: NoticesRepository,
    private readonly clock: Clock,
  ) {}

  nowMicros(): number {
    return this.clock.now().getTime() * 1000;
  }

  async of(
    readerId: number,
    rules: readonly Pick<Rule, 'actions'>[],
    tx?: SqlRunner,
  ): Promise<Moment> {
    const channelIds = [...new Set(rules.flatMap(({ actions }) => channelsOf(actions)))];
    const { timeZone } = await this.notices.settingsOf(readerId, tx);
    return {
      now: this.clock.now(),
      timeZone,
      places: await this.places.placesOf(readerId, tx),
      channelIds:
        channelIds.length === 0
          ? new Set()
          : await this.channels.existing(readerId, channelIds, tx),
    };
  }
}
