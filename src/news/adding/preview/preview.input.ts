import { z } from 'zod';
import { text, unlessAbsent } from '../../parameters.js';
import { AccessInput } from '../../sources/access/feed-access.input.js';

export const PreviewFeed = z.object({ url: text, access: unlessAbsent(AccessInput) });
