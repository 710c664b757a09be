import { z } from 'zod';
import { orElse } from '../../common/http/loose-inputs.js';
import { boolean, integer, text } from '../parameters.js';

export const UpdateFeed = z.object({ userId: text, feedId: integer });

/** With `withoutGrace` recently changed items are removed as well. */
export const AfterUpdate = z.object({ withoutGrace: orElse(boolean, false) });
