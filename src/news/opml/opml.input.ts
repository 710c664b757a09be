import { z } from 'zod';
import { orElse } from '../../common/http/loose-inputs.js';
import { integer } from '../parameters.js';

/** `after` is a feed id: only feeds with higher ids; by default all feeds of the user. */
export const WatchImport = z.object({ after: orElse(integer, 0) });
