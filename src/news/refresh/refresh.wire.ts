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
