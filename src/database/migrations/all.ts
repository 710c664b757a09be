import { Migration0001Accounts } from './0001-accounts.js';
import { Migration0002News } from './0002-news.js';

/** The history of the database, oldest first. Appended to, never edited. */
export const MIGRATIONS = [Migration0001Accounts, Migration0002News];
