import { readSendTemplates } from '../../../common/config/send-template.js';
import { readBy, settings, wholeNumber } from '../../../common/config/settings.js';

/** How long notices are kept, and channels that fail tried; links by which everybody sends articles on. */
export class NoticesSettings extends settings('GATEFOLD_', {
  GATEFOLD_KEEP_NOTICES_DAYS: wholeNumber(1, 3650)
    .default(30)
    .describe('Days that the list of what a user was told goes back'),
  GATEFOLD_NOTICE_FAILURE_DAYS: wholeNumber(1, 365)
    .default(5)
    .describe('Days after which a channel that only fails is switched off'),
  GATEFOLD_SEND_TEMPLATES: readBy(readSendTemplates)
    .default([])
    .describe(
      'Links in everybody’s menu of an article, as JSON: [{"name": "Mastodon", "address": "https://mastodon.example/share?text={text}"}], with {url}, {title} and {text}',
    ),
}) {}
