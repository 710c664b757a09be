import { z } from 'zod';
import { orElse } from '../../common/http/loose-inputs.js';
import { startUnread } from '../reader/feeds/feeds.input.js';
import { integer } from '../parameters.js';

/** `after` is a feed id: only feeds with higher ids; by default all feeds of the user. */
export const ImportFeeds = z.object({ startUnread });

export const WatchImport = z.object({ after: orElse(integer, 0) });
