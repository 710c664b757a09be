import { z } from 'zod';

export const PreferencesAnswer = z.object({ prefs: z.array(z.unknown()).max(0) });

export const StreamPreferencesAnswer = z.object({ streamprefs: z.object({}) });

export const FriendsAnswer = z.object({ friends: z.array(z.unknown()).max(0) });
