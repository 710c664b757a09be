import { z } from 'zod';
import { shownSentence } from '../../common/texts/visitor-language.js';
import { titleOrHost } from '../news.wire.js';
import type { RefreshReport } from './refresh.service.js';

/** Beyond the specification; see docs/news-api.md. */
export function toRefreshJson(report: RefreshReport): object {
  return {
    feeds: report.feeds,
    asked: report.asked,
    newItems: report.newItems,
    newFeeds: report.newFeeds,
    failures: report.failures.map(({ feedId, title, url, message }) => ({
      feedId,
      title: titleOrHost(title, url),
      message: shownSentence(message),
    })),
    fresh: report.fresh,
    resting: report.resting,
    left: report.left,
  };
}

export const RefreshAnswer = z.object({
  feeds: z.int(),
  asked: z.int(),
  newItems: z.int(),
  newFeeds: z.int(),
  failures: z.array(z.object({ feedId: z.int(), title: z.string(), message: z.string() })),
  fresh: z.int(),
  resting: z.int(),
  left: z.int(),
});
