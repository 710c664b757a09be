import { Migration0101Platform } from './0101-platform.js';
import { Migration0102Files } from './0102-files.js';
import { Migration0103Chat } from './0103-chat.js';
import { Migration0104AppApi } from './0104-app-api.js';
import { Migration0105News } from './0105-news.js';
import { Migration0106PendingDeliveries } from './0106-pending-deliveries.js';
import { Migration0107Use } from './0107-use.js';
import { Migration0108Functions } from './0108-functions.js';
import { Migration0109OneTaskQueue } from './0109-one-task-queue.js';
import { Migration0110SourceRev } from './0110-source-rev.js';
import { Migration0111SearchTokens } from './0111-search-tokens.js';
import { Migration0112Rules } from './0112-rules.js';
import { Migration0113Notices } from './0113-notices.js';
import { Migration0114Arrival } from './0114-arrival.js';
import { Migration0115Stories } from './0115-stories.js';
import { Migration0116Highlights } from './0116-highlights.js';
import { Migration0118MergedItems } from './0118-merged-items.js';
import { Migration0120LargeLibraries } from './0120-large-libraries.js';
import { Migration0121Imports } from './0121-imports.js';
import { Migration0122AccountArchives } from './0122-account-archives.js';
import { Migration0123Leaving } from './0123-leaving.js';
import { Migration0125GroupFolders } from './0125-group-folders.js';
import { Migration0126Access } from './0126-access.js';
import { Migration0127FeedsOut } from './0127-feeds-out.js';
import { Migration0128Boards } from './0128-boards.js';
import { Migration0130AccountHolds } from './0130-account-holds.js';
import { Migration0131GroupRules } from './0131-group-rules.js';
import { Migration0132BoardTelling } from './0132-board-telling.js';
import { Migration0133LocksApart } from './0133-locks-apart.js';

/** The schema of 1.0. See docs/decisions/0084-the-schema-of-1-0-is-one-base.md. */
export const BASE = [
  Migration0101Platform,
  Migration0102Files,
  Migration0103Chat,
  Migration0104AppApi,
  Migration0105News,
];

/** All migrations, oldest first. Append only. */
export const MIGRATIONS = [
  ...BASE,
  Migration0106PendingDeliveries,
  Migration0107Use,
  Migration0108Functions,
  Migration0109OneTaskQueue,
  Migration0110SourceRev,
  Migration0111SearchTokens,
  Migration0112Rules,
  Migration0113Notices,
  Migration0114Arrival,
  Migration0115Stories,
  Migration0116Highlights,
  Migration0118MergedItems,
  Migration0120LargeLibraries,
  Migration0121Imports,
  Migration0122AccountArchives,
  Migration0123Leaving,
  Migration0125GroupFolders,
  Migration0126Access,
  Migration0127FeedsOut,
  Migration0128Boards,
  Migration0130AccountHolds,
  Migration0131GroupRules,
  Migration0132BoardTelling,
  Migration0133LocksApart,
];
