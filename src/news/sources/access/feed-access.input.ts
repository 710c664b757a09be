import { z } from 'zod';
import { text } from '../../parameters.js';

const LONGEST_USER_NAME = 255;
const LONGEST_PASSWORD = 1024;
const LONGEST_USER_AGENT = 500;
const LONGEST_COOKIE = 4096;

/** Null and empty remove the value; absent ones are unchanged. */
const value = (longest: number, allowed: RegExp, rule: string) =>
  z.preprocess(
    (given) => (given === null ? '' : given),
    text
      .max(longest, { error: `must have at most ${longest} characters` })
      .regex(allowed, { error: rule })
      .optional(),
  );

const WITHOUT_CONTROL_CHARACTERS = /^\P{Cc}*$/u;
/** Characters allowed in a header; a line break would begin another header. */
const HEADER = /^[\x20-\x7e]*$/;

/** Headers that are sent with the requests for one feed. */
export const AccessInput = z.strictObject({
  userName: value(LONGEST_USER_NAME, /^[^:\p{Cc}]*$/u, 'must not contain a colon or a line break'),
  password: value(LONGEST_PASSWORD, WITHOUT_CONTROL_CHARACTERS, 'must not contain a line break'),
  userAgent: value(LONGEST_USER_AGENT, HEADER, 'must be one line of ASCII characters'),
  cookie: value(LONGEST_COOKIE, HEADER, 'must be one line of ASCII characters'),
});
