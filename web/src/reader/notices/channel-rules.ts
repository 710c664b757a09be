import type { Channel, ChannelDraft, WebhookForm } from '../model/notices-api.js';
import { SAVING_FORMS, type SavingForm } from '../model/saving-forms.js';

/** What a channel can be, as users choose it: a form of a webhook, or another kind. */
export type ChannelChoice = WebhookForm | 'mail' | 'app';

/** The webhooks besides ntfy, which is offered by itself. */
export const OTHER_FORMS: readonly WebhookForm[] = [
  'gotify',
  'pushover',
  'apprise',
  'slack',
  'discord',
  'teams',
  'matrix',
  'standard',
];

export function isSaving(choice: ChannelChoice | 'push'): choice is SavingForm {
  return (SAVING_FORMS as readonly string[]).includes(choice);
}

export type ChannelField =
  | 'address'
  | 'topic'
  | 'secret'
  | 'recipient'
  | 'clientId'
  | 'clientSecret';

interface FieldRule {
  readonly name: ChannelField;
  /** Key of its label, if it is another one than that of its name. */
  readonly label?:
    | 'tokenIfNeeded'
    | 'signingKey'
    | 'userKey'
    | 'services'
    | 'userName'
    | 'password';
  readonly isOptional?: boolean;
  readonly example?: string;
}

const TOKEN: FieldRule = { name: 'secret' };
const LOGIN: readonly FieldRule[] = [
  { name: 'recipient', label: 'userName' },
  { name: 'secret', label: 'password' },
];
const serverWithToken = (example: string): readonly FieldRule[] => [
  { name: 'address', example: `https://${example}.example.org` },
  TOKEN,
];

/** What each needs. Nothing of it is shown again: also addresses contain secrets. */
const FIELDS: Readonly<Record<ChannelChoice, readonly FieldRule[]>> = {
  mail: [],
  app: [],
  ntfy: [
    { name: 'address', example: 'https://ntfy.sh' },
    { name: 'topic' },
    { ...TOKEN, label: 'tokenIfNeeded', isOptional: true, example: 'tk_…' },
  ],
  gotify: [{ name: 'address', example: 'https://gotify.example.org' }, TOKEN],
  pushover: [TOKEN, { name: 'recipient', label: 'userKey' }],
  apprise: [
    { name: 'address', example: 'http://apprise:8000/notify/KEY' },
    { name: 'recipient', label: 'services', isOptional: true, example: 'matrix://…' },
  ],
  slack: [{ name: 'address', example: 'https://hooks.slack.com/services/…' }],
  discord: [{ name: 'address', example: 'https://discord.com/api/webhooks/…' }],
  teams: [{ name: 'address', example: 'https://….logic.azure.com/…' }],
  matrix: [{ name: 'address', example: 'https://hookshot.example.org/webhook/…' }],
  wallabag: [
    { name: 'address', example: 'https://app.wallabag.it' },
    { name: 'clientId' },
    { name: 'clientSecret' },
    ...LOGIN,
  ],
  karakeep: serverWithToken('karakeep'),
  linkwarden: serverWithToken('linkwarden'),
  readwise: [TOKEN],
  instapaper: LOGIN,
  raindrop: [TOKEN],
  readeck: serverWithToken('readeck'),
  linkding: serverWithToken('linkding'),
  shaarli: serverWithToken('shaarli'),
  standard: [
    { name: 'address', example: 'https://example.org/hook' },
    { name: 'secret', label: 'signingKey', isOptional: true, example: 'whsec_…' },
  ],
};

/**
 * The fields of a form. A channel that exists has one for its whole address, and what is left empty stays
 * as it is.
 */
export function fieldsOf(
  choice: ChannelChoice | 'push',
  isNew: boolean,
): readonly (FieldRule & { readonly isRequired: boolean })[] {
  const fields = choice === 'push' ? [] : FIELDS[choice];
  return fields
    .filter(({ name }) => isNew || name !== 'topic')
    .map((field) => ({ ...field, isRequired: isNew && field.isOptional !== true }));
}

export function choiceOf({ kind, form }: Pick<Channel, 'kind' | 'form'>): ChannelChoice | 'push' {
  return kind === 'webhook' ? (form ?? 'standard') : kind;
}

/** The kind and the form of what was chosen. */
export function kindOf(choice: ChannelChoice): Pick<ChannelDraft, 'kind' | 'form'> {
  return choice === 'mail' || choice === 'app'
    ? { kind: choice }
    : { kind: 'webhook', form: choice };
}

/** What a form says. Empty fields are left out; server and topic of ntfy are one address. */
export function givenValues({
  topic = '',
  ...values
}: Readonly<Record<string, string>>): ChannelDraft {
  const server = values['address']?.trim().replace(/\/+$/, '');
  const all = topic === '' ? values : { ...values, address: `${server}/${topic.trim()}` };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) =>
      value.trim() === '' ? [] : [[name, value.trim()]],
    ),
  );
}

export type ChannelCondition = 'off' | 'paused' | 'failing' | 'good';

/** `off`: the service has given it up; `paused`: the user has turned it off. */
export function conditionOf(channel: Channel): ChannelCondition {
  if (!channel.enabled) {
    return channel.offReason === null ? 'paused' : 'off';
  }
  return channel.failingSince === null ? 'good' : 'failing';
}
