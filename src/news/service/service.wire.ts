import { z } from 'zod';

export const VersionAnswer = z.object({ version: z.string(), gatefold: z.string() });

export const StatusAnswer = VersionAnswer.extend({
  warnings: z.object({ improperlyConfiguredCron: z.boolean(), incorrectDbCharset: z.boolean() }),
});

export const ReaderAnswer = z.object({
  userId: z.string(),
  displayName: z.string(),
  lastLoginTimestamp: z.int().describe('Unix seconds.'),
  avatar: z.null(),
});

export const LevelsAnswer = z.object({ apiLevels: z.array(z.string()) });
