import { Injectable } from '@nestjs/common';
import { AdministratorRequired } from '../../common/auth/auth.errors.js';
import { InvalidInput } from '../../common/errors/domain-error.js';
import type { Account } from '../../common/ports/user-directory.js';
import { UnknownSetting } from '../app-api.errors.js';
import type { Registration } from '../capabilities/capability.js';
import { RegistrationsRepository } from '../capabilities/registrations.repository.js';
import type { StoredValue } from '../values/values.repository.js';
import { ValuesService } from '../values/values.service.js';
import { SETTINGS_FORM, type SettingsField, type SettingsFormFields } from './settings-form.js';
import { defaultOf, toStoredValue } from './settings-values.js';

/** A heading of the settings under which forms are shown, the lowest priority first. */
interface SettingsSection {
  readonly id: string;
  readonly name: string;
  readonly priority: number;
}

/** Sections of the host. Forms may name others. */
const SETTINGS_SECTIONS: readonly SettingsSection[] = [
  { id: 'ai_integration_team', name: 'AI Integration Team', priority: 30 },
  { id: 'declarative_settings', name: 'Declarative settings', priority: 50 },
];

const DEFAULT_PRIORITY = 50;

/** Sections that the host does not define come last. */
const PRIORITY_OF_OTHERS = 100;

const AREAS = ['personal', 'admin'] as const;

/** Replaces a saved secret, as in Nextcloud. Saving it changes nothing. */
const SECRET_PLACEHOLDER = 'dummySecret';

/** A form with the saved values of its fields, or their defaults. */
interface ShownForm extends SettingsFormFields {
  readonly app: string;
  readonly storage_type: 'external';
  readonly fields: readonly (SettingsField & { readonly value: unknown })[];
}

export interface ShownSection extends SettingsSection {
  readonly areas: readonly SettingsFormFields['section_type'][];
}

interface SettingToSave {
  readonly app: string;
  readonly formId: string;
  readonly fieldId: string;
  readonly value: unknown;
  /** Encrypts the value even if the field does not require it. */
  readonly sensitive?: boolean;
}

type RegisteredForm = Registration<SettingsFormFields>;

/**
 * Settings forms of external apps. Saved values are stored under the field's id, where the app reads
 * them: as configuration values in forms for administrators, as preferences in forms for users.
 *
 * @see docs/app-api-reference.md "Settings forms"
 */
@Injectable()
export class SettingsFormsService {
  constructor(
    private readonly registrations: RegistrationsRepository,
    private readonly values: ValuesService,
  ) {}

  /** Forms of enabled apps, highest priority first; administrators' forms only for administrators. */
  async formsFor(account: Account): Promise<ShownForm[]> {
    const visible = await this.#visibleTo(account);
    const shown = visible.toSorted((one, other) => priorityOf(other) - priorityOf(one));
    return Promise.all(shown.map((form) => this.#show(form, account)));
  }

  /**
   * The host's sections, followed by other sections of the forms of this account; each with the areas
   * in which this account has forms there.
   */
  async sectionsFor(account: Account): Promise<readonly ShownSection[]> {
    const forms = await this.#visibleTo(account);
    const named = new Set(forms.map(({ fields }) => fields.section_id));
    for (const { id } of SETTINGS_SECTIONS) {
      named.delete(id);
    }
    const others = [...named]
      .toSorted()
      .map((id) => ({ id, name: id, priority: PRIORITY_OF_OTHERS }));
    return [...SETTINGS_SECTIONS, ...others].map((section) => ({
      ...section,
      areas: AREAS.filter((area) =>
        forms.some(
          ({ fields }) => fields.section_id === section.id && fields.section_type === area,
        ),
      ),
    }));
  }

  /**
   * @throws UnknownSetting if no enabled app has this field
   * @throws AdministratorRequired
   * @throws InvalidInput naming the accepted values
   */
  async saveValue(account: Account, setting: SettingToSave): Promise<void> {
    const { fields: form, appId } = await this.#formOf(setting);
    if (form.section_type === 'admin' && !account.isAdmin) {
      throw new AdministratorRequired();
    }
    const field = fieldThatTakes(form, setting);
    if (await this.#isUnchangedSecret(account, form, appId, setting)) {
      return;
    }
    const value = toStoredValue(field, setting.value);
    // Undefined keeps the flag that the app has set.
    const sensitive = setting.sensitive === true || isSecret(field) ? true : undefined;
    if (form.section_type === 'admin') {
      await this.values.of(appId).set(field.id, value, sensitive);
      return;
    }
    await this.values.of(appId, account.userId).set(field.id, value, sensitive);
  }

  async #visibleTo(account: Account): Promise<RegisteredForm[]> {
    const forms = await this.registrations.ofEnabledApps(SETTINGS_FORM);
    return forms.filter(({ fields }) => fields.section_type === 'personal' || account.isAdmin);
  }

  async #isUnchangedSecret(
    account: Account,
    form: SettingsFormFields,
    appId: string,
    { fieldId, value }: SettingToSave,
  ): Promise<boolean> {
    if (value !== SECRET_PLACEHOLDER) {
      return false;
    }
    const [kept] = await this.#kept(form, appId, account, [fieldId]);
    return kept !== undefined && isMasked(kept);
  }

  async #kept(
    form: SettingsFormFields,
    appId: string,
    { userId }: Account,
    fieldIds: readonly string[],
  ): Promise<StoredValue[]> {
    return form.section_type === 'admin'
      ? this.values.of(appId).get(fieldIds)
      : this.values.of(appId, userId).get(fieldIds);
  }

  async #formOf({ app, formId, fieldId }: SettingToSave): Promise<RegisteredForm> {
    const forms = await this.registrations.ofEnabledApps(SETTINGS_FORM);
    const form = forms.find(({ appId, key }) => appId === app && key === formId);
    if (form === undefined) {
      throw new UnknownSetting(app, formId, fieldId);
    }
    return form;
  }

  async #show({ fields: form, appId }: RegisteredForm, account: Account): Promise<ShownForm> {
    const ids = form.fields.map(({ id }) => id);
    const kept = await this.#kept(form, appId, account, ids);
    const saved = new Map(kept.map((value) => [value.key, value]));
    return {
      ...form,
      app: appId,
      storage_type: 'external',
      fields: form.fields.map((field) => ({
        ...field,
        value: shownValue(field, saved.get(field.id)),
      })),
    };
  }
}

function shownValue(field: SettingsField, saved: StoredValue | undefined): unknown {
  if (saved === undefined) {
    return defaultOf(field);
  }
  return isMasked(saved) || (isSecret(field) && saved.value !== '')
    ? SECRET_PLACEHOLDER
    : saved.value;
}

/** The form, the page or the app may have marked the value as sensitive. */
function isMasked({ sensitive, value }: StoredValue): boolean {
  return sensitive && value !== '';
}

function isSecret(field: SettingsField): boolean {
  return field['sensitive'] === true || field.type === 'password';
}

/** The first field with this id that accepts the value. */
function fieldThatTakes(form: SettingsFormFields, setting: SettingToSave): SettingsField {
  const named = form.fields.filter(({ id }) => id === setting.fieldId);
  const [first] = named;
  if (first === undefined) {
    throw new UnknownSetting(setting.app, setting.formId, setting.fieldId);
  }
  return named.find((field) => takes(field, setting.value)) ?? first;
}

function takes(field: SettingsField, value: unknown): boolean {
  try {
    toStoredValue(field, value);
    return true;
  } catch (error) {
    if (error instanceof InvalidInput) {
      return false;
    }
    throw error;
  }
}

function priorityOf({ fields }: RegisteredForm): number {
  const { priority } = fields;
  return typeof priority === 'number' ? priority : DEFAULT_PRIORITY;
}
