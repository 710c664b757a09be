import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { Config } from '../../common/config/config.js';
import { DAY_SECONDS, MIB } from '../../common/units.js';
import { TransferSettings } from './transfer.settings.js';

/** How many archives there may be, how large, and for how long. */
@Injectable()
export class ArchiveTimes {
  constructor(
    private readonly settings: TransferSettings,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  get allowed() {
    const most = this.config.limits['exports-per-user-and-day'];
    return { kind: 'exports', most, periodSeconds: DAY_SECONDS };
  }

  get mostBytes(): number {
    return this.settings.exportMib * MIB;
  }

  now(): Date {
    return this.clock.now();
  }

  expiry(days = this.settings.exportDays): Date {
    return new Date(this.now().getTime() + days * DAY_SECONDS * 1000);
  }
}
