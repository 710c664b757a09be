import { z } from 'zod';
import { Get, Patch } from '../../../common/contracts/routes.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { AREA_NAMES } from './preference-fields.js';
import { PreferencesService } from './preferences.service.js';

const AreaAnswer = z
  .object({ values: z.record(z.string(), z.unknown()), version: z.int() })
  .meta({ id: 'AreaPreferences' });

/** Answers by area. */
const PreferencesAnswer = z.record(z.string(), AreaAnswer);

const PreferencesChange = z.object({
  area: z.enum(AREA_NAMES, { error: `must be one of ${AREA_NAMES.join(', ')}` }),
  values: z.record(z.string(), z.unknown()),
});

/** The caller's preferences, for the pages. */
@OcsController('apps/gatefold/api/v1/preferences')
export class UserPreferencesController {
  constructor(private readonly preferences: PreferencesService) {}

  @Get('', 'Shows the preferences of the caller.', PreferencesAnswer)
  async show(@CurrentUser() user: Account) {
    return this.preferences.all(user.userId);
  }

  @Patch(':area', 'Changes preferences of one area.', AreaAnswer)
  async change(
    @CurrentUser() user: Account,
    @Input(PreferencesChange) { area, values }: In<typeof PreferencesChange>,
  ) {
    return this.preferences.change(user.userId, area, values);
  }
}
