import { z } from 'zod';
import { text } from '../parameters.js';

export const PreviewFeed = z.object({ url: text });
