import { z } from 'zod';

/** The fields of its kind; of most kinds also `id` and `appid`. */
export const RegistrationAnswer = z.looseObject({});
