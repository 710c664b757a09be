import { settings, wholeNumber } from '../../common/config/settings.js';

/** What stays of the folders of groups. */
export class GroupFoldersSettings extends settings('GATEFOLD_', {
  GATEFOLD_GROUP_FOLDERS_GRACE_DAYS: wholeNumber(1, 3650)
    .default(30)
    .describe(
      'Days that a person who left a group finds the same ids and marks again on coming back',
    ),
}) {}
