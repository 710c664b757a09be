import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { readBasicCredentials } from '../../common/auth/basic-credentials.js';
import type { AppPasswordOwner } from './app-passwords.repository.js';
import { AppPasswordsService } from './app-passwords.service.js';

/** Tells by which app password a request was let in. */
@Injectable()
export class UsedAppPassword {
  constructor(private readonly appPasswords: AppPasswordsService) {}

  /** @returns null for a request with the account's password, or with a browser's session */
  async in({ headers }: Pick<Request, 'headers'>): Promise<AppPasswordOwner | null> {
    const credentials = readBasicCredentials(headers.authorization);
    return credentials === null ? null : this.appPasswords.ownerOf(credentials.password);
  }
}
