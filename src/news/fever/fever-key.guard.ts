import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { IdentifiedRequest } from '../../common/auth/current-user.decorator.js';
import { readFields, type Fields } from '../../common/http/read-fields.js';
import { ProgramLogins } from '../../common/ports/program-logins.js';
import { FeverKeyWrong } from './fever.errors.js';

/** Before it is known who calls. Enough for the ids of several thousand items. */
const LARGEST_BODY_BYTES = 64 * 1024;

/** A request with its fields, of query and body. They contain the key: never log them. */
export interface FeverRequest extends IdentifiedRequest {
  feverFields?: Fields;
}

/** Authenticates by the field `api_key` alone, so no page of another site can use a session. */
@Injectable()
export class FeverKeyGuard implements CanActivate {
  constructor(private readonly logins: ProgramLogins) {}

  /**
   * @throws FeverKeyWrong also without a key
   * @throws TooManyLoginAttempts
   */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FeverRequest>();
    const fields = await readFields(request, LARGEST_BODY_BYTES);
    const key = fields.one('api_key');
    const loggedIn = key === undefined ? null : await this.logins.byFeverKey(key, request.ip ?? '');
    if (loggedIn === null) {
      throw new FeverKeyWrong();
    }
    request.account = loggedIn.account;
    request.credential = loggedIn.credential;
    request.feverFields = fields;
    return true;
  }
}
