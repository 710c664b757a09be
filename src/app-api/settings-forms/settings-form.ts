import { z } from 'zod';
import type { Capability } from '../capabilities/capability.js';
import { name } from '../field-schemas.js';

const LONGEST_ID = 64;

const SETTINGS_FIELD_TYPES = [
  'text',
  'password',
  'email',
  'tel',
  'url',
  'number',
  'checkbox',
  'multi-checkbox',
  'radio',
  'select',
  'multi-select',
] as const;

type SettingsFieldType = (typeof SETTINGS_FIELD_TYPES)[number];

export interface SettingsField {
  readonly id: string;
  readonly title: string;
  readonly type: SettingsFieldType;
  readonly [other: string]: unknown;
}

/** A form as the app sent it, unknown keys included. */
export interface SettingsFormFields {
  readonly id: string;
  readonly section_type: 'admin' | 'personal';
  readonly section_id: string;
  readonly title: string;
  readonly fields: readonly SettingsField[];
  readonly [other: string]: unknown;
}

/** Types of fields that have a list of options. */
const CHOICES: ReadonlySet<SettingsFieldType> = new Set([
  'select',
  'multi-select',
  'radio',
  'multi-checkbox',
]);

const id = z
  .string({ error: 'must be a text' })
  .min(1, 'must not be empty')
  .max(LONGEST_ID, `must have at most ${LONGEST_ID} characters`);

const text = z.string({ error: 'must be a text' });

const choice = z.union(
  [z.string(), z.number(), z.looseObject({ name: text, value: z.union([z.string(), z.number()]) })],
  { error: 'must be a text, or an object with name and value' },
);

const field = z
  .looseObject(
    {
      id,
      title: text,
      type: z.enum(SETTINGS_FIELD_TYPES, {
        error: `must be one of ${SETTINGS_FIELD_TYPES.join(', ')}`,
      }),
    },
    { error: 'must be an object' },
  )
  .check(({ value, issues }) => {
    if (CHOICES.has(value.type)) {
      const options = z.array(choice, {
        error: `must be a list for a field of type ${value.type}`,
      });
      issues.push(...issuesOf(options, value['options'], ['options']));
    }
  });

const FormRules = z.object({
  formScheme: z.looseObject(
    {
      id,
      section_type: z.enum(['admin', 'personal'], { error: 'must be admin or personal' }),
      section_id: id,
      title: text,
      description: text.nullish(),
      priority: z.number({ error: 'must be a number' }).nullish(),
      // Duplicate ids are allowed: existing apps send them, and both fields show one value.
      fields: z.array(field, { error: 'must be a list' }),
    },
    { error: 'must be an object' },
  ),
});

/**
 * A settings form, validated when it is registered so that errors reach the author of the app, not
 * the users who open the settings.
 */
export const SETTINGS_FORM: Capability<SettingsFormFields> = {
  kind: 'settings_form',
  routes: ['v1/ui/settings'],
  largeBodies: true,
  // Stored as sent, key order included: apps compare the stored value.
  input: z
    .object({ formScheme: z.record(z.string(), z.unknown(), { error: 'must be an object' }) })
    .check(({ value, issues }) => {
      issues.push(...issuesOf(FormRules, value));
    })
    .transform(({ formScheme }) => formScheme as SettingsFormFields),
  keyInput: z.object({ formId: name(LONGEST_ID) }).transform(({ formId }) => formId),
  keyOf: (form) => form.id,
  toJson: ({ fields }) => ({ ...fields, storage_type: 'external' }),
  missing: 'No such settings form',
};

/** The values of a field's options, as they are stored. */
export function choicesOf(field: SettingsField): readonly string[] {
  const options = (field['options'] ?? []) as readonly z.output<typeof choice>[];
  return options.map((option) => String(typeof option === 'object' ? option.value : option));
}

function issuesOf(schema: z.ZodType, value: unknown, path: readonly PropertyKey[] = []) {
  const { error } = schema.safeParse(value);
  return (error?.issues ?? []).map((issue) => ({
    code: 'custom' as const,
    message: issue.message,
    path: [...path, ...issue.path],
    input: value,
  }));
}
