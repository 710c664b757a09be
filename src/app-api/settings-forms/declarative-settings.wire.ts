import { z } from 'zod';

export const FormsAnswer = z.array(
  z.looseObject({
    id: z.string(),
    app: z.string(),
    fields: z.array(z.looseObject({ id: z.string(), value: z.unknown() })),
  }),
);

export const SectionsAnswer = z.array(
  z.looseObject({ id: z.string(), icon: z.string(), areas: z.array(z.string()) }),
);
