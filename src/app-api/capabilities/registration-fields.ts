/*
 * What external apps announce of themselves, as it is stored in `ex_app_registration.fields`: one
 * shape for each kind. Handler routes, icons and paths are relative to the app's root and have no
 * slash in front.
 */

/** Key: the name. */
export interface TopMenuFields {
  readonly name: string;
  readonly displayName: string;
  /** Empty for the host's own icon. */
  readonly icon: string;
  readonly adminRequired: boolean;
}

/** Key: type, name and key. */
export interface InitialStateFields {
  /** `top_menu`, the one kind of page there is. */
  readonly type: string;
  /** The menu entry's, which may be registered later. */
  readonly name: string;
  readonly key: string;
  readonly value: unknown;
}

/** Key: type, name and path. */
export interface ScriptFields {
  readonly type: string;
  readonly name: string;
  /** Without `.js`. */
  readonly path: string;
  readonly afterAppId: string;
}

/** Key: type, name and path. */
export interface StyleFields {
  readonly type: string;
  readonly name: string;
  /** Without `.css`. */
  readonly path: string;
}

/** Key: the name. */
export interface FileActionFields {
  readonly name: string;
  readonly displayName: string;
  readonly actionHandler: string;
  readonly icon: string;
  /** Parts of mime types, separated by commas; `file` stands for every file. */
  readonly mime: string;
  readonly permissions: number;
  readonly order: number;
  /** By the route it was registered through: one request per node, or one for all of them. */
  readonly version: FileActionVersion;
}

export type FileActionVersion = '1.0' | '2.0';

/** Key: the id. The form as the app sent it, keys that we do not know included. */
export interface SettingsFormFields {
  readonly id: string;
  readonly section_type: 'admin' | 'personal';
  readonly section_id: string;
  readonly title: string;
  readonly fields: readonly SettingsField[];
  readonly [other: string]: unknown;
}

export interface SettingsField {
  readonly id: string;
  readonly title: string;
  readonly type: SettingsFieldType;
  readonly [other: string]: unknown;
}

export const SETTINGS_FIELD_TYPES = [
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

export type SettingsFieldType = (typeof SETTINGS_FIELD_TYPES)[number];

/** Key: the name. What the console makes of arguments and options is in `command-inputs.ts`. */
export interface OccCommandFields {
  readonly name: string;
  readonly description: string;
  readonly hidden: boolean;
  /** As sent: apps compare what they read back. */
  readonly arguments: readonly SentCommandInput[];
  readonly options: readonly SentCommandInput[];
  readonly usages: readonly string[];
  readonly executeHandler: string;
}

export interface SentCommandInput {
  readonly name: string;
  readonly [other: string]: unknown;
}

/** Key: the name. */
export interface TranslationFields {
  readonly name: string;
  readonly displayName: string;
  /** Language code to name. */
  readonly fromLanguages: Readonly<Record<string, string>>;
  readonly toLanguages: Readonly<Record<string, string>>;
  readonly actionHandler: string;
  /** Empty when the provider cannot tell languages apart. */
  readonly actionDetectLang: string;
}

export const TEXT_TASK_TYPES = ['free_prompt', 'headline', 'summary', 'topics'] as const;

export type TextTaskType = (typeof TEXT_TASK_TYPES)[number];

/** Key: the name. */
export interface TextProcessingFields {
  readonly name: string;
  readonly displayName: string;
  readonly actionHandler: string;
  readonly taskType: TextTaskType;
}

/** Key: the name. */
export interface SpeechToTextFields {
  readonly name: string;
  readonly displayName: string;
  readonly actionHandler: string;
}

/** Key: the event type. */
export interface EventsListenerFields {
  readonly eventType: string;
  /** Empty for all of them. */
  readonly eventSubtypes: readonly string[];
  readonly actionHandler: string;
}

/** Key: the route. */
export interface TalkBotFields {
  /** Hex; it depends on how the app wrote the route. */
  readonly id: string;
  readonly name: string;
  readonly route: string;
  readonly description: string;
  /** Base64 of what SecretBox made of it; see `talk-bots.service.ts`. */
  readonly secretSealed: string;
}

/** The shape of each kind. */
export interface FieldsOfKind {
  readonly top_menu: TopMenuFields;
  readonly initial_state: InitialStateFields;
  readonly script: ScriptFields;
  readonly style: StyleFields;
  readonly file_action: FileActionFields;
  readonly settings_form: SettingsFormFields;
  readonly occ_command: OccCommandFields;
  readonly translation: TranslationFields;
  readonly text_processing: TextProcessingFields;
  readonly speech_to_text: SpeechToTextFields;
  readonly events_listener: EventsListenerFields;
  readonly talk_bot: TalkBotFields;
}

/** The key of what is unique by several of its fields together. */
export function keyOf(...parts: readonly string[]): string {
  return parts.join('\u0001');
}

/** Handlers, icons, paths and routes are relative, whether the app writes a slash or not. */
export function withoutLeadingSlash(path: string): string {
  return path.replace(/^\/+/, '');
}
