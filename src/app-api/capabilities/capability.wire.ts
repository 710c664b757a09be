import { z } from 'zod';

/** With the fields of its kind. */
export const RegistrationAnswer = z.looseObject({ id: z.int(), appid: z.string() });
