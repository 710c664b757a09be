import {
  Controller,
  Req,
  Res,
  UseFilters,
  UseGuards,
  UseInterceptors,
  Injectable,
  type CanActivate,
  type ExecutionContext,
  Catch,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common';
import type { Response, Request } from 'express';
import { assertScope } from '../../common/auth/assert-scope.js';
import { InScope, ReadsByPost } from '../../common/auth/in-scope.decorator.js';
import { Config } from '../../common/config/config.js';
import { ApiPost, Get } from '../../common/contracts/routes.js';
import { answerJsonError } from '../../common/errors/json-error.filter.js';
import { refuseRest } from '../../common/errors/refuse-rest.js';
import { Public, type IdentifiedRequest } from '../../common/http/current-user.decorator.js';
import { readFields } from '../../common/http/read-fields.js';
import { ProgramLogins } from '../../common/ports/program-logins.js';
import { languageOf } from '../../common/texts/languages.js';
import { textIn } from '../../common/texts/translations.js';
import { KIB } from '../../common/units.js';
import { RequestingClientInterceptor } from '../http/requesting-client.interceptor.js';
import { CurrentReader } from '../reader/delivery/current-reader.decorator.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { FeverAnswers, sendPieces } from './fever-answers.provider.js';
import { markOf, selectorsOf, wantedItemsOf, type Mark, type Selector } from './fever.input.js';
import { FeverService } from './fever.service.js';
import { FeverAnswer, FeverParameters, API_VERSION } from './fever.wire.js';

/** Suffices for the ids of several thousand items. */
const LARGEST_BODY_KIB = 64;

/** No key, or a wrong one. Not an error for clients: they are answered with 200. */
class FeverKeyWrong extends Error {}

/** Authenticates by the field `api_key` alone, so no page of another site can use a session. */
@Injectable()
class FeverKeyGuard implements CanActivate {
  readonly #largestBodyBytes: number;

  constructor(
    private readonly logins: ProgramLogins,
    config: Config,
  ) {
    // Limit for unauthenticated callers, since the body has the key.
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
class FeverErrorFilter implements ExceptionFilter {
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

/**
 * The Fever API: one address, at all places where clients look for it. Public, since a wrong key is
 * answered with 200; the guard sees to it.
 *
 * @see docs/fever-api.md
 */
@Controller(['fever', 'fever.php', 'api/fever.php', 'fever/fever'])
@Public()
@InScope('reader')
@UseGuards(FeverKeyGuard)
@UseFilters(FeverErrorFilter)
@UseInterceptors(RequestingClientInterceptor)
export class FeverController {
  constructor(
    private readonly answers: FeverAnswers,
    private readonly fever: FeverService,
  ) {}

  /** Some clients send everything in the query, including changes, which its key authenticates. */
  @Get('', 'Answers and changes what the parameters name.', FeverAnswer, {
    input: FeverParameters,
  })
  async byQuery(
    @CurrentReader() reader: Reader,
    @Req() request: IdentifiedRequest,
    @Res() response: Response,
  ): Promise<void> {
    await this.#answer(reader, request, response);
  }

  @ApiPost('', 'Answers and changes what the parameters name.', FeverAnswer, {
    input: FeverParameters,
  })
  @ReadsByPost()
  async byForm(
    @CurrentReader() reader: Reader,
    @Req() request: IdentifiedRequest,
    @Res() response: Response,
  ): Promise<void> {
    await this.#answer(reader, request, response);
  }

  async #answer(reader: Reader, request: IdentifiedRequest, response: Response): Promise<void> {
    const fields = await readFields(request, 0); // The guard has read them.
    const mark = markOf(fields);
    if (mark !== null) {
      assertScope(request.credential, { room: 'reader', changes: true });
      await this.fever.apply(reader, mark);
    }
    const pieces = this.answers.pieces(reader, {
      selectors: new Set([...selectorsOf(fields), ...listsAfter(mark)]),
      items: wantedItemsOf(fields),
      hasMarked: mark !== null,
      rootName: textIn(languageOf(request), 'fever', 'rootGroup'),
    });
    await sendPieces(response, pieces);
  }
}

/** Specification: a change is answered with the ids that have the flag now. */
function listsAfter(mark: Mark | null): Selector[] {
  if (mark === null) {
    return [];
  }
  return [mark.as === 'saved' || mark.as === 'unsaved' ? 'saved_item_ids' : 'unread_item_ids'];
}
