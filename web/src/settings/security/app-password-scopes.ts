import type { AppPasswordScope } from './access.store.js';

/** Keys of the names of scopes, in the order in which they are offered. */
export const SCOPE_TEXTS: Readonly<Record<AppPasswordScope, string>> = {
  everything: 'settings.appPasswordScope.everything',
  reader: 'settings.appPasswordScope.reader',
  'reader-read': 'settings.appPasswordScope.readerRead',
  files: 'settings.appPasswordScope.files',
  'files-read': 'settings.appPasswordScope.filesRead',
};
