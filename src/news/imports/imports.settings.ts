import { settings, wholeNumber } from '../../common/config/settings.js';

/** How fast files of other readers are imported. */
export class ImportsSettings extends settings('GATEFOLD_', {
  GATEFOLD_IMPORT_ITEMS_PER_MINUTE: wholeNumber(0, 1_000_000)
    .default(2000)
    .describe(
      'Items that an import adds or changes per minute, so that clients follow; 0 is as many as it can',
    ),
}) {}
