import { z } from 'zod';

/** PHP encodes an empty map as an empty list. */
const map = z.preprocess(
  (value) => (value === null || (Array.isArray(value) && value.length === 0) ? {} : value),
  z.record(z.string(), z.unknown()),
);

const headers = z.preprocess(
  (value) => (Array.isArray(value) && value.length === 0 ? {} : value),
  z.record(
    z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, 'must be the name of a header'),
    z.coerce.string().regex(/^[^\r\n\0]*$/, 'must be one line'),
  ),
);

const part = z.object({
  name: z.string(),
  contents: z.coerce.string(),
  filename: z.string().optional(),
  headers: headers.optional(),
});

const options = z.object({
  headers: headers.optional(),
  timeout: z.coerce.number().min(0, 'must be a number of seconds').optional(),
  query: map.optional(),
  json: z.unknown().optional(),
  multipart: z.array(part).optional(),
});

/** Body and placeholders of `ex-app/request`. */
export const exAppRequest = z.object({
  appId: z.string(),
  route: z.string().min(1, 'must be a route of the app'),
  userId: z
    .string()
    .nullish()
    .transform((userId) => userId ?? ''),
  method: z.string().default('POST'),
  params: map.default({}),
  options: z.preprocess(
    (value) => (value === null || Array.isArray(value) ? {} : value),
    options.default({}),
  ),
});

export type ExAppRequestInput = z.output<typeof exAppRequest>;
