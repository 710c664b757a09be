import { APP_API_FUNCTIONS } from './app-api.js';
import type { DatabaseFunction } from './database-function.js';
import { NEWS_FUNCTIONS } from './news.js';
import { PLATFORM_FUNCTIONS } from './platform.js';

/** All functions and triggers of the database. `docs/architecture.md` lists them. */
export const DATABASE_FUNCTIONS: readonly DatabaseFunction[] = [
  ...PLATFORM_FUNCTIONS,
  ...APP_API_FUNCTIONS,
  ...NEWS_FUNCTIONS,
];
