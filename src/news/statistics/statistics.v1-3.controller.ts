import { z } from 'zod';
import { AdminGuard } from '../../common/auth/admin.guard.js';
import { Get } from '../../common/contracts/routes.js';
import { InTurn } from '../../common/http/answer-turns.js';
import { Input, type In } from '../../common/http/input.decorator.js';
import { orElse } from '../../common/http/loose-inputs.js';
import { NewsController, V1_3 } from '../http/levels.guard.js';
import { integer, LONGEST_SECONDS, text, unlessAbsent } from '../parameters.js';
import type { SourceLine } from './source-lists.repository.js';
import {
  StatisticsService,
  type DueList,
  type FetchSeries,
  type SourceList,
} from './statistics.service.js';

/* Beyond the specification; see docs/news-api.md. */

const seconds = z.int().describe('Unix seconds.');

const FetchSeriesAnswer = z.object({
  from: seconds,
  to: seconds,
  bucketSeconds: z.int(),
  completeSince: seconds.nullable(),
  buckets: z.array(
    z.object({
      at: seconds,
      fetches: z.int(),
      unchanged: z.int(),
      failed: z.int(),
      newItems: z.int(),
      changedItems: z.int(),
      medianMs: z.number().nullable(),
      percentile95Ms: z.number().nullable(),
    }),
  ),
});

const SourceLineSchema = z
  .object({
    sourceId: z.int(),
    title: z.string(),
    address: z.string(),
    host: z.string(),
    dueAt: seconds,
    why: z.string().nullable(),
    beingFetched: z.boolean(),
    followers: z.int(),
    errorsInRow: z.int(),
    workMs: z.int().describe('Of reading and storing its documents of the last day.'),
    bytes: z.int().describe('Of its documents of the last day.'),
  })
  .meta({ id: 'SourceLine' });

const DueAnswer = z.object({
  now: seconds,
  overdue: z.int(),
  due: z.array(SourceLineSchema),
});

const SourceListAnswer = z.object({
  now: seconds,
  totals: z.object({ all: z.int(), failing: z.int(), overdue: z.int() }),
  found: z.int(),
  sources: z.array(SourceLineSchema),
});

const unixSeconds = integer.refine((seconds) => seconds >= 0 && seconds <= LONGEST_SECONDS, {
  error: 'must be a time in unix seconds',
});

/** A time span and the length of its buckets. */
const ShowStatistics = z
  .object({
    from: unlessAbsent(unixSeconds),
    to: unlessAbsent(unixSeconds),
    bucketSeconds: unlessAbsent(
      integer.refine((seconds) => seconds >= 60, { error: 'must be at least 60' }),
    ),
  })
  .transform(({ from, to, bucketSeconds }) => ({
    fromSeconds: from,
    toSeconds: to,
    bucketSeconds,
  }));

const PAGE_SIZE = 50;
const LARGEST_PAGE_SIZE = 200;

/** A page of all sources. */
const ListSources = z.object({
  search: orElse(text.trim().max(1000, { error: 'must have at most 1000 characters' }), ''),
  order: orElse(
    z.enum(['errors', 'due', 'title', 'work', 'bytes'], {
      error: 'must be errors, due, title, work or bytes',
    }),
    'errors',
  ),
  limit: orElse(
    integer.refine((count) => count >= 1 && count <= LARGEST_PAGE_SIZE, {
      error: `must be from 1 to ${LARGEST_PAGE_SIZE}`,
    }),
    PAGE_SIZE,
  ),
  offset: orElse(
    integer.refine((count) => count >= 0, { error: 'must not be negative' }),
    0,
  ),
});

/**
 * Statistics of fetches and lists of sources, for administrators. Not part of the specification.
 *
 * @see docs/news-api.md "Beyond the specification"
 */
@NewsController(V1_3, 'admin', AdminGuard)
export class StatisticsV13Controller {
  constructor(private readonly statistics: StatisticsService) {}

  @Get('statistics', 'Counts the fetches of a span of time.', FetchSeriesAnswer)
  async fetches(@Input(ShowStatistics) wanted: In<typeof ShowStatistics>) {
    return toSeriesJson(await this.statistics.fetches(wanted));
  }

  @InTurn()
  @Get('due', 'Lists the sources that are fetched next.', DueAnswer)
  async due() {
    return toDueJson(await this.statistics.due());
  }

  @InTurn()
  @Get('sources', 'Lists the sources of all feeds.', SourceListAnswer)
  async sources(@Input(ListSources) wanted: In<typeof ListSources>) {
    return toSourceListJson(await this.statistics.sources(wanted));
  }
}

function toSeriesJson(series: FetchSeries) {
  return {
    from: series.fromSeconds,
    to: series.toSeconds,
    bucketSeconds: series.bucketSeconds,
    completeSince: series.completeSinceSeconds,
    buckets: series.buckets.map(({ atSeconds, ...counts }) => ({ at: atSeconds, ...counts })),
  };
}

function toDueJson({ nowSeconds, overdue, due }: DueList) {
  return { now: nowSeconds, overdue, due: due.map(toSourceLineJson) };
}

function toSourceListJson(list: SourceList) {
  const { nowSeconds, all, failing, overdue, found, sources } = list;
  return {
    now: nowSeconds,
    totals: { all, failing, overdue },
    found,
    sources: sources.map(toSourceLineJson),
  };
}

function toSourceLineJson(line: SourceLine) {
  return {
    sourceId: line.sourceId,
    title: line.title,
    address: line.address,
    host: line.hostKey,
    dueAt: line.dueAtSeconds,
    why: line.why,
    beingFetched: line.leased,
    followers: line.followers,
    errorsInRow: line.errorCount,
    workMs: line.workMs,
    bytes: line.bytes,
  };
}
