import { z } from 'zod';

export const RequestTokenAnswer = z.object({ token: z.string() });
