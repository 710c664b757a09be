import { z } from 'zod';
import type { SourceLine } from './source-lists.repository.js';
import type { DueList, FetchSeries, SourceList } from './statistics.service.js';

/* Beyond the specification; see docs/news-api.md. */

export function toSeriesJson(series: FetchSeries): object {
  return {
    from: series.fromSeconds,
    to: series.toSeconds,
    bucketSeconds: series.bucketSeconds,
    completeSince: series.completeSinceSeconds,
    buckets: series.buckets.map((bucket) => ({
      at: bucket.atSeconds,
      fetches: bucket.fetches,
      unchanged: bucket.unchanged,
      failed: bucket.failed,
      newItems: bucket.newItems,
      changedItems: bucket.changedItems,
      medianMs: bucket.medianMs,
      percentile95Ms: bucket.percentile95Ms,
    })),
  };
}

export function toDueJson({ nowSeconds, overdue, due }: DueList): object {
  return { now: nowSeconds, overdue, due: due.map(toSourceLineJson) };
}

export function toSourceListJson(list: SourceList): object {
  const { nowSeconds, all, failing, overdue, found, sources } = list;
  return {
    now: nowSeconds,
    totals: { all, failing, overdue },
    found,
    sources: sources.map(toSourceLineJson),
  };
}

function toSourceLineJson(line: SourceLine): object {
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
  };
}

const seconds = z.int().describe('Unix seconds.');

export const FetchSeriesAnswer = z.object({
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
  })
  .meta({ id: 'SourceLine' });

export const DueAnswer = z.object({
  now: seconds,
  overdue: z.int(),
  due: z.array(SourceLineSchema),
});

export const SourceListAnswer = z.object({
  now: seconds,
  totals: z.object({ all: z.int(), failing: z.int(), overdue: z.int() }),
  found: z.int(),
  sources: z.array(SourceLineSchema),
});
