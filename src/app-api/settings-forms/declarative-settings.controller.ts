import { z } from 'zod';
import { PublicAddress } from '../../common/config/public-address.js';
import { Get, Post } from '../../common/contracts/routes.js';
import { InTurn } from '../../common/http/answer-turns.js';
import { CurrentUser } from '../../common/http/current-user.decorator.js';
import type { In } from '../../common/http/input.decorator.js';
import { TakesLargeBodies } from '../../common/http/largest-body.decorator.js';
import { OcsController } from '../../common/ocs/ocs-controller.decorator.js';
import type { Account } from '../../common/ports/user-directory.js';
import { name } from '../field-schemas.js';
import { GatewayInput } from '../gateway-input.decorator.js';
import { SettingsFormsService } from './settings-forms.service.js';

const FormsAnswer = z.array(
  z.looseObject({
    id: z.string(),
    app: z.string(),
    fields: z.array(z.looseObject({ id: z.string(), value: z.unknown() })),
  }),
);

const SectionsAnswer = z.array(
  z.looseObject({ id: z.string(), icon: z.string(), areas: z.array(z.string()) }),
);

const SettingToSave = z.object({
  app: name(64),
  formId: name(64),
  fieldId: name(64),
  value: z.unknown(),
});

/** The host's default icon. */
const SECTION_ICON_PATH = '/core/img/app.svg';

/** Settings forms, for users and administrators. */
@TakesLargeBodies()
@OcsController('settings/api/declarative')
export class DeclarativeSettingsController {
  constructor(
    private readonly forms: SettingsFormsService,
    private readonly address: PublicAddress,
  ) {}

  @InTurn()
  @Get('forms', 'Lists the settings forms of apps.', FormsAnswer)
  async list(@CurrentUser() account: Account) {
    return this.forms.formsFor(account);
  }

  @Get('sections', 'Lists the sections of the settings forms.', SectionsAnswer)
  async sections(@CurrentUser() account: Account) {
    const icon = this.address.of(SECTION_ICON_PATH);
    return (await this.forms.sectionsFor(account)).map((section) => ({ ...section, icon }));
  }

  @Post('value', 'Saves a value of a settings form.', 'nothing')
  async save(
    @CurrentUser() account: Account,
    @GatewayInput(SettingToSave) setting: In<typeof SettingToSave>,
  ) {
    await this.forms.saveValue(account, setting);
    return null;
  }

  @Post('value-sensitive', 'Saves a secret value of a settings form.', 'nothing')
  async saveSecret(
    @CurrentUser() account: Account,
    @GatewayInput(SettingToSave) setting: In<typeof SettingToSave>,
  ) {
    await this.forms.saveValue(account, { ...setting, sensitive: true });
    return null;
  }
}
