import { z } from 'zod';

export const OfferedActionsAnswer = z.array(
  z.object({ appId: z.string(), name: z.string(), displayName: z.string(), icon: z.string() }),
);

export const InvokedActionAnswer = z.object({ redirect: z.string().optional() });
