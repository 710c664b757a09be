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

  now(): Date {
    return this.clock.now();
  }

  nowMicros(): number {
    return this.now().getTime() * 1000;
  }

  async of(
    readerId: number,
    rules: readonly Pick<Rule, 'actions'>[],
    tx?: SqlRunner,
  ): Promise<Moment> {
    const channelIds = [...new Set(rules.flatMap(({ actions }) => channelsOf(actions)))];
    const [{ timeZone }, places, existing] = await Promise.all([
      this.notices.settingsOf(readerId, tx),
      this.places.placesOf(readerId, tx),
      channelIds.length === 0
        ? new Set<number>()
        : this.channels.existing(readerId, channelIds, tx),
    ]);
    return { now: this.now(), timeZone, places, channelIds: existing };
  }
}
