import { z } from 'zod';

export const UserInfoAnswer = z.object({
  userId: z.string(),
  userName: z.string(),
  userProfileId: z.string(),
  userEmail: z.string(),
});

export const TokensAnswer = z.object({ SID: z.string(), LSID: z.string(), Auth: z.string() });
