import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { StrategyCreatedStatic } from 'passport';
import passportHttp from 'passport-http';
import { UserDirectory } from '../ports/user-directory.js';
import { readBasicCredentials } from './basic-credentials.js';

/** Sent with every 401, so that a browser and curl's `--anyauth` know what to offer. */
export const BASIC_CHALLENGE = 'Basic realm="Gatefold", charset="UTF-8"';

/** User id and password from the `Authorization` header to an account, through the port. */
@Injectable()
export class BasicStrategy extends passportHttp.BasicStrategy {
  // Not a #private field: passport works on objects that only inherit from this one.
  private readonly directory: UserDirectory;

  constructor(directory: UserDirectory) {
    super({ realm: 'Gatefold' }, (_userId, _password, done) => done(null, false));
    this.directory = directory;
  }

  /**
   * In place of passport-http's own reading, which cuts a password at its second colon ("a:b"
   * becomes "a"), refuses one that begins with a colon, and takes any scheme that contains "basic".
   */
  override authenticate(this: BasicStrategy & StrategyCreatedStatic, request: Request): void {
    const credentials = readBasicCredentials(request.headers.authorization);
    if (credentials === null) {
      this.fail(BASIC_CHALLENGE, 401);
      return;
    }
    this.directory.authenticate({ ...credentials, clientAddress: request.ip ?? '' }).then(
      (loggedIn) => (loggedIn === null ? this.fail(BASIC_CHALLENGE, 401) : this.success(loggedIn)),
      (error: unknown) => this.error(error),
    );
  }
}
