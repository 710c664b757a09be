import { z } from 'zod';
import { ConversationPath, integer } from '../../chat.input.js';

export const ReadUpTo = ConversationPath.extend({
  lastReadMessage: z.preprocess((value) => value ?? undefined, integer.optional()),
});
