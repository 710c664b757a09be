import type { CostlyWork } from '../../common/http/concurrency-limit.decorator.js';

/** Whole files and pieces of files, together; more than programs send at once unless told to. */
export const UPLOADS: CostlyWork = { name: 'uploads', most: 32 };
