import { z } from 'zod';
import { Get } from '../../../common/contracts/routes.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { wholeNumberThat } from '../../../common/http/loose-inputs.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { UsersService } from './users.service.js';

const USUAL_SUGGESTIONS = 10;
const MOST_SUGGESTIONS = 25;

/** The protocol's share type for users. */
const USER_SHARE = '0';

const texts = z.preprocess(
  (value) => (value === undefined || Array.isArray(value) ? value : [value]),
  z.array(z.coerce.string()),
);

const NameSearch = z.object({
  search: z
    .string()
    .nullish()
    .transform((text) => text?.trim().replaceAll('\0', '') ?? ''),
  shareTypes: texts.nullish().transform((types) => types ?? [USER_SHARE]),
  limit: z
    .union([z.literal('').transform(() => USUAL_SUGGESTIONS), wholeNumberThat((int) => int.min(1))])
    .nullish()
    .transform((limit) => Math.min(limit ?? USUAL_SUGGESTIONS, MOST_SUGGESTIONS)),
});

const SuggestionsAnswer = z.array(
  z.object({
    id: z.string(),
    label: z.string(),
    icon: z.string(),
    source: z.string(),
    status: z.string(),
    subline: z.string(),
    shareWithDisplayNameUnique: z.string(),
  }),
);

/** Finds users by part of their names. */
@OcsController('core/autocomplete')
export class AutocompleteController {
  constructor(private readonly users: UsersService) {}

  @Get('get', 'Finds users by part of their names.', SuggestionsAnswer)
  async suggest(
    @CurrentUser() { userId }: Account,
    @Input(NameSearch) { search, shareTypes, limit }: In<typeof NameSearch>,
  ) {
    if (!shareTypes.includes(USER_SHARE)) {
      return [];
    }
    const found = await this.users.suggest({ text: search, exceptUserId: userId, limit });
    return found.map(toSuggestionJson);
  }
}

function toSuggestionJson({ userId, displayName }: Account) {
  return {
    id: userId,
    label: displayName,
    icon: 'icon-user',
    source: 'users',
    status: '',
    subline: '',
    shareWithDisplayNameUnique: userId,
  };
}
