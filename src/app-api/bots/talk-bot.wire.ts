import { z } from 'zod';

export const RegisteredBotAnswer = z.object({ id: z.string(), secret: z.string() });
