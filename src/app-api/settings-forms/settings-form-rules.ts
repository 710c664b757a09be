import { z } from 'zod';
import { parseInput } from '../../common/http/input.decorator.js';
import {
  SETTINGS_FIELD_TYPES,
  type SettingsField,
  type SettingsFieldType,
  type SettingsFormFields,
} from '../capabilities/registration-fields.js';

const LONGEST_ID = 64;

/** A heading of the settings under which forms are shown, the lowest priority first. */
export interface SettingsSection {
  readonly id: string;
  readonly name: string;
  readonly priority: number;
}

/** Sections that the host brings along. Forms may name others, as those of the field do. */
export const SETTINGS_SECTIONS: readonly SettingsSection[] = [
  { id: 'ai_integration_team', name: 'AI Integration Team', priority: 30 },
  { id: 'declarative_settings', name: 'Declarative settings', priority: 50 },
];

/** Types whose value is picked from a list. */
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
      const { error } = z
        .array(choice, { error: `must be a list for a field of type ${value.type}` })
        .safeParse(value['options']);
      const found = error?.issues ?? [];
      issues.push(
        ...found.map((issue) => ({
          code: 'custom' as const,
          message: issue.message,
          path: ['options', ...issue.path],
          input: value['options'] ?? null,
        })),
      );
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
      // The same id may come twice: such forms are out there, and both fields show one value.
      fields: z.array(field, { error: 'must be a list' }),
    },
    { error: 'must be an object' },
  ),
});

/**
 * Checks a form when it is announced, so that a broken one is its author's problem, not that of
 * everybody who opens the settings later.
 *
 * @returns the form as it was sent: apps compare what they read back
 * @throws InvalidInput naming each place that breaks the rules
 */
export function asSettingsForm(scheme: Readonly<Record<string, unknown>>): SettingsFormFields {
  parseInput(FormRules, { formScheme: scheme });
  return scheme as SettingsFormFields;
}

/** What can be picked, as it is stored. */
export function choicesOf(field: SettingsField): readonly string[] {
  const options = (field['options'] ?? []) as readonly z.output<typeof choice>[];
  return options.map((option) => String(typeof option === 'object' ? option.value : option));
}
