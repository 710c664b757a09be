import { Get, Post } from '@nestjs/common';
import { z } from 'zod';
import { CurrentUser } from '../../common/auth/current-user.decorator.js';
import { OcsController } from '../../common/ocs/ocs-controller.decorator.js';
import type { Account } from '../../common/ports/user-directory.js';
import type { SettingsSection } from '../settings-form-rules.js';
import { SettingsFormsService, type ShownForm } from '../settings-forms.service.js';
import { GatewayInput } from './gateway-input.decorator.js';
import { name } from './loose-values.js';

const SettingToSave = z.object({
  app: name(64),
  formId: name(64),
  fieldId: name(64),
  value: z.unknown(),
});

/** What users and administrators see of the apps' settings forms, and save in them. */
@OcsController('settings/api/declarative')
export class DeclarativeSettingsController {
  constructor(private readonly forms: SettingsFormsService) {}

  @Get('forms')
  async list(@CurrentUser() account: Account): Promise<ShownForm[]> {
    return this.forms.formsFor(account);
  }

  @Get('sections')
  async sections(@CurrentUser() account: Account): Promise<readonly SettingsSection[]> {
    return this.forms.sectionsFor(account);
  }

  @Post('value')
  async save(
    @CurrentUser() account: Account,
    @GatewayInput(SettingToSave) setting: z.output<typeof SettingToSave>,
  ): Promise<null> {
    await this.forms.saveValue(account, setting);
    return null;
  }

  @Post('value-sensitive')
  async saveSecret(
    @CurrentUser() account: Account,
    @GatewayInput(SettingToSave) setting: z.output<typeof SettingToSave>,
  ): Promise<null> {
    await this.forms.saveValue(account, { ...setting, sensitive: true });
    return null;
  }
}
