import { z } from 'zod';

export const SuccessAnswer = z.object({ status: z.literal('success') });
