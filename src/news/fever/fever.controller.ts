import { Controller, Req, Res, UseFilters, UseGuards, UseInterceptors } from '@nestjs/common';
import type { Response } from 'express';
import { ApiPost, Get } from '../../common/contracts/routes.js';
import { assertScope } from '../../common/auth/assert-scope.js';
import { Public, type IdentifiedRequest } from '../../common/http/current-user.decorator.js';
import { InScope, ReadsByPost } from '../../common/auth/in-scope.decorator.js';
import { readFields } from '../../common/http/read-fields.js';
import { languageOf } from '../../common/texts/languages.js';
import { textIn } from '../../common/texts/translations.js';
import { RequestingClientInterceptor } from '../http/requesting-client.js';
import { FeverAnswers, sendPieces } from './fever-answers.js';
import { FeverErrorFilter, FeverKeyGuard, FeverKeyWrong } from './fever-key.guard.js';
import { FeverService } from './fever.service.js';
import { markOf, selectorsOf, wantedItemsOf, type Mark, type Selector } from './fever.input.js';
import { FeverAnswer, FeverParameters } from './fever.wire.js';

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

  /** Some clients send everything in the query, changes too. The key in it proves who sent it. */
  @Get('', 'Answers and changes what the parameters name.', FeverAnswer, {
    input: FeverParameters,
  })
  async byQuery(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    await this.#answer(request, response);
  }

  @ApiPost('', 'Answers and changes what the parameters name.', FeverAnswer, {
    input: FeverParameters,
  })
  @ReadsByPost()
  async byForm(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    await this.#answer(request, response);
  }

  async #answer(request: IdentifiedRequest, response: Response): Promise<void> {
    if (request.account === undefined) {
      throw new FeverKeyWrong();
    }
    const { userId } = request.account;
    const fields = await readFields(request, 0); // The guard has read them.
    const mark = markOf(fields);
    if (mark !== null) {
      assertScope(request.credential, { room: 'reader', changes: true });
      await this.fever.apply(userId, mark);
    }
    const pieces = this.answers.pieces(userId, {
      selectors: new Set([...selectorsOf(fields), ...listsAfter(mark)]),
      items: wantedItemsOf(fields),
      hasMarked: mark !== null,
      rootName: textIn(languageOf(request), 'fever', 'rootGroup'),
    });
    await sendPieces(response, pieces);
  }
}

/** By the specification, a change is answered with the ids that have the flag now. */
function listsAfter(mark: Mark | null): Selector[] {
  if (mark === null) {
    return [];
  }
  return [mark.as === 'saved' || mark.as === 'unsaved' ? 'saved_item_ids' : 'unread_item_ids'];
}
