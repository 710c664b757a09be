import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { UserDirectory, type Account } from '../ports/user-directory.js';
import { CredentialsRequired } from './auth.errors.js';
import { readBasicCredentials } from './basic-credentials.js';

/** Tells who is behind a request that guests may make too. */
@Injectable()
export class Visitors {
  constructor(private readonly directory: UserDirectory) {}

  /**
   * @returns undefined for a guest. Credentials of another scheme are none of ours, so whoever
   *   sends them is a guest here.
   * @throws CredentialsRequired for wrong ones
   * @throws TooManyLoginAttempts
   */
  async identify({ headers, ip }: Pick<Request, 'headers' | 'ip'>): Promise<Account | undefined> {
    if (!isBasic(headers.authorization)) {
      return undefined;
    }
    const credentials = readBasicCredentials(headers.authorization);
    const account =
      credentials &&
      (await this.directory.authenticate({ ...credentials, clientAddress: ip ?? '' }));
    if (!account) {
      throw new CredentialsRequired();
    }
    return account;
  }
}

/** Whether the header holds a password of this installation. */
export function isBasic(authorization: string | undefined): boolean {
  return /^\s*basic(?:\s|$)/i.test(authorization ?? '');
}
