import { Get } from '@nestjs/common';
import type { z } from 'zod';
import { AdminGuard } from '../../common/auth/admin.guard.js';
import { Input } from '../../common/http/input.decorator.js';
import { StatisticsService } from './statistics.service.js';
import { NewsController, V1_3 } from '../http/levels.js';
import { ListSources, ShowStatistics } from './statistics.input.js';
import {
  toDueJson,
  toSeriesJson,
  toSourceListJson,
  FetchSeriesAnswer,
  DueAnswer,
  SourceListAnswer,
} from './statistics.wire.js';
import { Operation } from '../../common/contracts/operation.decorator.js';

/**
 * Statistics of fetches and lists of sources, for administrators. Not part of the specification.
 *
 * @see docs/news-api.md "Beyond the specification"
 */
@NewsController(V1_3, 'admin', AdminGuard)
export class StatisticsV13Controller {
  constructor(private readonly statistics: StatisticsService) {}

  @Get('statistics')
  @Operation('Counts the fetches of a span of time.', FetchSeriesAnswer)
  async fetches(@Input(ShowStatistics) wanted: z.output<typeof ShowStatistics>): Promise<object> {
    return toSeriesJson(await this.statistics.fetches(wanted));
  }

  @Get('due')
  @Operation('Lists the sources that are fetched next.', DueAnswer)
  async due(): Promise<object> {
    return toDueJson(await this.statistics.due());
  }

  @Get('sources')
  @Operation('Lists the sources of all feeds.', SourceListAnswer)
  async sources(@Input(ListSources) wanted: z.output<typeof ListSources>): Promise<object> {
    return toSourceListJson(await this.statistics.sources(wanted));
  }
}
