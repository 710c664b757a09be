import { isEmail } from './email.js';

const LONGEST_DISPLAY_NAME = 200;

/** Name and email of a user as a directory or identity provider has them; undefined if it has none that can be used. */
export interface ToldProfile {
  readonly name: string | undefined;
  readonly email: string | undefined;
}

export function toldProfile(name: string | undefined, email: string | undefined): ToldProfile {
  const clean = name?.replace(/\p{Cc}/gu, '').trim();
  return {
    name: clean?.slice(0, LONGEST_DISPLAY_NAME).trim() || undefined,
    email: email !== undefined && isEmail(email) ? email : undefined,
  };
}
