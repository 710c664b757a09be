import { z } from 'zod';

export const HostAddressAnswer = z.object({ base_url: z.string() });

export const UserIdsAnswer = z.array(z.string());

export const AbsoluteAddressAnswer = z.object({ absolute_url: z.string() });

export const AppStateAnswer = z.int().describe('1 if the app is enabled, otherwise 0.');
