import { Get } from '../../common/contracts/routes.js';
import { AdminGuard } from '../../common/auth/admin.guard.js';
import { Input, type In } from '../../common/http/input.decorator.js';
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

/**
 * Statistics of fetches and lists of sources, for administrators. Not part of the specification.
 *
 * @see docs/news-api.md "Beyond the specification"
 */
@NewsController(V1_3, 'admin', AdminGuard)
export class StatisticsV13Controller {
  constructor(private readonly statistics: StatisticsService) {}

  @Get('statistics', 'Counts the fetches of a span of time.', FetchSeriesAnswer)
  async fetches(@Input(ShowStatistics) wanted: In<typeof ShowStatistics>): Promise<object> {
    return toSeriesJson(await this.statistics.fetches(wanted));
  }

  @Get('due', 'Lists the sources that are fetched next.', DueAnswer)
  async due(): Promise<object> {
    return toDueJson(await this.statistics.due());
  }

  @Get('sources', 'Lists the sources of all feeds.', SourceListAnswer)
  async sources(@Input(ListSources) wanted: In<typeof ListSources>): Promise<object> {
    return toSourceListJson(await this.statistics.sources(wanted));
  }
}
