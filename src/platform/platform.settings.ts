import { onOff, settings, wholeNumber } from '../common/config/settings.js';

export class PlatformSettings extends settings('GATEFOLD_', {
  GATEFOLD_KEEP_NOTIFICATIONS_DAYS: wholeNumber(0, 36_500)
    .default(90)
    .describe('Days before undismissed notifications are removed; 0 keeps all'),
  GATEFOLD_API_DOCS: onOff
    .default(true)
    .describe('Show users who are logged in descriptions of the APIs at /api/docs'),
}) {}
