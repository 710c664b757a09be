import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { callbackify } from 'node:util';
import passport from 'passport';
import passportHttp from 'passport-http';
import { UserDirectoryOffer, type LoggedIn } from '../ports/user-directory.js';

export interface BasicCredentials {
  readonly userId: string;
  readonly password: string;
}

const BASIC_HEADER = /^Basic +([A-Za-z0-9+/]+={0,2})$/i;

/** Sent with every 401, so that browsers and curl's `--anyauth` offer Basic credentials. */
export const BASIC_CHALLENGE = 'Basic realm="Gatefold", charset="UTF-8"';

/** Authenticates every `Authorization: Basic` header, with passport-http against the `UserDirectory`. */
@Injectable()
export class BasicAuthenticator {
  // A separate instance: two applications in one process would share the global one's strategies.
  readonly #passport = new passport.Passport();

  constructor(private readonly directory: UserDirectoryOffer) {
    const verify = async ({ ip = '' }: Request, userId: string, password: string) =>
      directory.required.authenticate({
        userId: decodeURIComponent(userId),
        password: decodeURIComponent(password),
        clientAddress: ip,
      });
    this.#passport.use(
      new passportHttp.BasicStrategy({ passReqToCallback: true }, callbackify(verify)),
    );
  }

  /**
   * @param mayBeRemembered see `RememberedLogin`
   * @returns null without Basic credentials, and for wrong ones
   */
  async authenticate(
    { headers, ip }: Pick<Request, 'headers' | 'ip'>,
    mayBeRemembered = false,
  ): Promise<LoggedIn | null> {
    const credentials = readBasicCredentials(headers.authorization);
    const recent =
      mayBeRemembered && credentials !== null ? this.directory.required.recent(credentials) : null;
    if (recent !== null) {
      return recent;
    }
    // passport adds properties to its argument, so it gets a copy of the header and the address.
    const request = { headers: { authorization: escapeCredentials(credentials) }, ip };
    return new Promise((resolve, reject) => {
      const decide = (error: unknown, loggedIn?: LoggedIn | false) =>
        error ? reject(error as Error) : resolve(loggedIn || null);
      this.#passport.authenticate('basic', { session: false }, decide)(request, undefined, reject);
    });
  }
}

/**
 * passport-http ends a password at its second colon ("a:b" becomes "a"), refuses one that begins with
 * a colon, and accepts any scheme that contains "basic". So it gets percent-encoded credentials, and
 * no header where there are none.
 */
function escapeCredentials(credentials: BasicCredentials | null): string | undefined {
  if (credentials === null) {
    return undefined;
  }
  const { userId, password } = credentials;
  const escaped = `${encodeURIComponent(userId)}:${encodeURIComponent(password)}`;
  return `Basic ${Buffer.from(escaped).toString('base64')}`;
}

/**
 * Parses an `Authorization` header. The user id ends at the first colon; the password may contain
 * more.
 *
 * @returns null unless it has Basic credentials with user and password
 */
export function readBasicCredentials(header: string | undefined): BasicCredentials | null {
  const encoded = BASIC_HEADER.exec(header?.trim() ?? '')?.[1];
  if (encoded === undefined) {
    return null;
  }
  const text = decode(Buffer.from(encoded, 'base64'));
  const colon = text.indexOf(':');
  if (colon < 1 || colon === text.length - 1) {
    return null;
  }
  return { userId: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** UTF-8 as in the challenge, or else Latin-1, which older HTTP libraries send. */
function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return bytes.toString('latin1');
  }
}
