import {
  Injectable,
  type CanActivate,
  type ExecutionContext,
  Catch,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common';
import type { IdentifiedRequest } from '../../common/http/current-user.decorator.js';
import { Config } from '../../common/config/config.js';
import { readFields } from '../../common/http/read-fields.js';
import { ProgramLogins } from '../../common/ports/program-logins.js';
import type { Request, Response } from 'express';
import { answerJsonError } from '../../common/errors/json-error.filter.js';
import { refuseRest } from '../../common/errors/refuse-rest.js';
import { API_VERSION } from './fever.wire.js';

const KIB = 1024;

/** Enough for the ids of several thousand items. */
const LARGEST_BODY_KIB = 64;

/** No key, or a wrong one. Not an error for clients: they are answered with 200. */
export class FeverKeyWrong extends Error {}

/** Authenticates by the field `api_key` alone, so no page of another site can use a session. */
@Injectable()
export class FeverKeyGuard implements CanActivate {
  readonly #largestBodyBytes: number;

  constructor(
    private readonly logins: ProgramLogins,
    config: Config,
  ) {
    // Read before it is known who calls.
    this.#largestBodyBytes = Math.min(LARGEST_BODY_KIB, config.anonymousBodyKib) * KIB;
  }

  /** @throws FeverKeyWrong also without a key */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<IdentifiedRequest>();
    const fields = await readFields(request, this.#largestBodyBytes);
    const key = fields.one('api_key');
    const loggedIn = key === undefined ? null : await this.logins.byFeverKey(key, request.ip ?? '');
    if (loggedIn === null) {
      throw new FeverKeyWrong();
    }
    request.account = loggedIn.account;
    request.credential = loggedIn.credential;
    return true;
  }
}

/** Answers a wrong key as clients expect it; other errors as the JSON routes do. */
@Catch()
export class FeverErrorFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const [request, response] = [http.getRequest<Request>(), http.getResponse<Response>()];
    if (!(error instanceof FeverKeyWrong)) {
      answerJsonError(error, request, response);
      return;
    }
    refuseRest(request, response);
    response.status(200).json({ api_version: API_VERSION, auth: 0 });
  }
}
