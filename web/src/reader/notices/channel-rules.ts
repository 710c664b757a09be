import type { Channel, ChannelDraft, WebhookForm } from '../model/notices-api.js';

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
  'standard',
];

export type ChannelField = 'address' | 'topic' | 'secret' | 'recipient';

interface FieldRule {
  readonly name: ChannelField;
  /** Key of its label, if it is another one than that of its name. */
  readonly label?: 'tokenIfNeeded' | 'signingKey' | 'userKey' | 'services';
  readonly isOptional?: boolean;
  readonly example?: string;
}

const TOKEN: FieldRule = { name: 'secret' };

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
  standard: [
    { name: 'address', example: 'https://example.org/hook' },
    { name: 'secret', label: 'signingKey', isOptional: true, example: 'whsec_…' },
  ],
};

export type FieldValues = Readonly<Partial<Record<ChannelField, string>>>;

export interface ShownField extends FieldRule {
  readonly isRequired: boolean;
}

/** @param isNew whether nothing is known yet; else what is left empty stays as it is */
export function fieldsOf(
  choice: ChannelChoice | 'push',
  isNew: boolean,
  values: FieldValues = {},
): readonly ShownField[] {
  const fields = choice === 'push' ? [] : FIELDS[choice];
  // A topic is a part of an address.
  const isTopicGiven = (values.topic ?? '') !== '';
  return fields.map((field) => ({
    ...field,
    isRequired:
      field.isOptional !== true &&
      (isNew ||
        (field.name === 'address' && isTopicGiven) ||
        (field.name === 'topic' && (values.address ?? '') !== '')),
  }));
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

/** The address of a channel, as a form has it. What is empty is left out: it stays, or has a default. */
export function givenAddress({ topic, ...values }: FieldValues): ChannelDraft {
  const address = values.address?.trim();
  const all = {
    ...values,
    address: topic === undefined ? address : topicAddress(address, topic.trim()),
  };
  const given = Object.entries(all).flatMap(([name, value = '']) =>
    value.trim() === '' ? [] : [[name, value.trim()]],
  );
  return Object.fromEntries(given) as ChannelDraft;
}

/** The address of a topic of ntfy; undefined unless both are given. */
function topicAddress(server = '', topic = ''): string | undefined {
  return server === '' || topic === ''
    ? undefined
    : `${server.replace(/\/+$/, '')}/${encodeURIComponent(topic)}`;
}

export type ChannelCondition = 'off' | 'paused' | 'failing' | 'good';

/** `off`: the service has given it up; `paused`: the user has turned it off. */
export function conditionOf(channel: Channel): ChannelCondition {
  if (!channel.enabled) {
    return channel.offReason === null ? 'paused' : 'off';
  }
  return channel.failingSince === null ? 'good' : 'failing';
}

/** At public servers everyone who knows the topic can read it. */
const TOPIC_CHARACTERS = 'abcdefghijkmnpqrstuvwxyz23456789';
const TOPIC_LENGTH = 14;

/** @param random bytes, at least as many as the topic is long */
export function topicFrom(random: Uint8Array): string {
  const characters = Array.from(
    random.slice(0, TOPIC_LENGTH),
    (byte) => TOPIC_CHARACTERS[byte % TOPIC_CHARACTERS.length] ?? '',
  );
  return `gatefold-${characters.join('')}`;
}
