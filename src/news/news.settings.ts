import { onOff, settings, wholeNumber } from '../common/config/settings.js';

/** Refreshes, the rounds of this process, and what the clean-up keeps. */
export class NewsSettings extends settings('GATEFOLD_', {
  GATEFOLD_UPDATE_INTERVAL_SECONDS: wholeNumber(60, 604_800)
    .default(3600)
    .describe('Maximum time between updates of a healthy feed'),
  GATEFOLD_REFRESH_REST_SECONDS: wholeNumber(0, 86_400)
    .default(60)
    .describe('Refreshes by users skip feeds that were fetched more recently'),
  GATEFOLD_REFRESH_FEEDS: wholeNumber(1, 100_000)
    .default(500)
    .describe('Maximum feeds per refresh by a user, least recently fetched first'),
  GATEFOLD_REFRESH_FEEDS_PER_HOUR: wholeNumber(1, 1_000_000)
    .default(2000)
    .describe('Maximum feeds that refreshes of one user fetch per hour'),
  GATEFOLD_SCHEDULER: onOff
    .default(true)
    .describe('on fetches feeds in this process; off expects an external updater'),
  GATEFOLD_KEEP_READ_ITEMS: wholeNumber(0, 1_000_000)
    .default(200)
    .describe('Read, unstarred items kept per feed by the clean-up; 0 keeps all'),
  GATEFOLD_READ_ITEMS_GRACE_DAYS: wholeNumber(0, 3650)
    .default(14)
    .describe(
      'Days after its last change before the clean-up may remove an item, so that all clients can sync it',
    ),
  GATEFOLD_KEEP_ARTICLES_DAYS: wholeNumber(0, 36_500)
    .default(90)
    .describe('Days before articles without items are removed; 0 keeps all'),
  GATEFOLD_REMEMBERED_ARTICLES: wholeNumber(0, 10_000_000)
    .default(20_000)
    .describe('Removed articles remembered per source, so that they do not come back as new'),
}) {}
