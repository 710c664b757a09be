import { shownSentence } from '../../common/texts/visitor-language.js';
import type { SourceReport } from './feed-doctor.service.js';

const SHOWN_ATTEMPTS = 10;

/** The state of a source for the owner of a feed, without data of other followers. */
export function toStatusJson(feedId: number, report: SourceReport): object {
  return {
    feedId,
    health: report.health,
    fetchedFrom: report.fetchedFrom,
    lastUpdateTime: report.fetchedAt,
    nextUpdateTime: report.due?.at ?? null,
    nextUpdateReason: report.due?.why ?? null,
    beingFetched: report.due?.beingFetched ?? false,
    pushed: report.hub?.state === 'active',
    updateErrorCount: report.errorsInRow,
    lastUpdateError: shownSentence(report.lastError),
    warning: shownSentence(report.warning),
    attempts: report.attempts.slice(0, SHOWN_ATTEMPTS).map((attempt) => ({
      at: attempt.atSeconds,
      outcome: attempt.outcome,
      status: attempt.status,
      durationMs: attempt.durationMs,
      newItems: attempt.newItems,
      changedItems: attempt.changedItems,
      message: shownSentence(attempt.message),
    })),
  };
}
