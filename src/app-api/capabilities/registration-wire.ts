import type {
  EventsListenerFields,
  FileActionFields,
  InitialStateFields,
  OccCommandFields,
  ScriptFields,
  SettingsFormFields,
  SpeechToTextFields,
  StyleFields,
  TextProcessingFields,
  TopMenuFields,
  TranslationFields,
} from './registration-fields.js';
import type { Registration } from './registrations.repository.js';

/*
 * Registrations as apps read them back. The one place that knows these names: snake_case, whatever
 * the app sent.
 */

export function toTopMenuJson({ fields, ...entry }: Registration<TopMenuFields>) {
  return {
    ...identityOf(entry),
    name: fields.name,
    display_name: fields.displayName,
    icon: fields.icon,
    admin_required: Number(fields.adminRequired),
  };
}

export function toInitialStateJson({ fields, ...entry }: Registration<InitialStateFields>) {
  return {
    ...identityOf(entry),
    type: fields.type,
    name: fields.name,
    key: fields.key,
    value: fields.value,
  };
}

export function toScriptJson({ fields, ...entry }: Registration<ScriptFields>) {
  return { ...toPageFile(entry, fields), after_app_id: fields.afterAppId };
}

export function toStyleJson({ fields, ...entry }: Registration<StyleFields>) {
  return toPageFile(entry, fields);
}

export function toFileActionJson({ fields, ...entry }: Registration<FileActionFields>) {
  return {
    ...identityOf(entry),
    name: fields.name,
    display_name: fields.displayName,
    mime: fields.mime,
    // A text for clients of the reference, whose database has it as one.
    permissions: String(fields.permissions),
    order: fields.order,
    icon: fields.icon,
    action_handler: fields.actionHandler,
    version: fields.version,
  };
}

/** The form itself. Its values are kept by the gateway, not by the platform's own storage. */
export function toSettingsFormJson({ fields }: Registration<SettingsFormFields>) {
  return { ...fields, storage_type: 'external' };
}

export function toOccCommandJson({ fields, ...entry }: Registration<OccCommandFields>) {
  return {
    ...identityOf(entry),
    name: fields.name,
    description: fields.description,
    hidden: Number(fields.hidden),
    arguments: fields.arguments,
    options: fields.options,
    usages: fields.usages,
    execute_handler: fields.executeHandler,
  };
}

export function toTranslationJson({ fields, ...entry }: Registration<TranslationFields>) {
  return {
    ...identityOf(entry),
    name: fields.name,
    display_name: fields.displayName,
    from_languages: fields.fromLanguages,
    to_languages: fields.toLanguages,
    action_handler: fields.actionHandler,
    action_detect_lang: fields.actionDetectLang,
  };
}

export function toTextProcessingJson(registration: Registration<TextProcessingFields>) {
  return { ...toSpeechToTextJson(registration), task_type: registration.fields.taskType };
}

export function toSpeechToTextJson({ fields, ...entry }: Registration<SpeechToTextFields>) {
  return {
    ...identityOf(entry),
    name: fields.name,
    display_name: fields.displayName,
    action_handler: fields.actionHandler,
  };
}

export function toEventsListenerJson({ fields, ...entry }: Registration<EventsListenerFields>) {
  return {
    ...identityOf(entry),
    event_type: fields.eventType,
    event_subtypes: fields.eventSubtypes,
    action_handler: fields.actionHandler,
  };
}

type Entry = Pick<Registration<unknown>, 'id' | 'appId'>;

function toPageFile(entry: Entry, { type, name, path }: StyleFields) {
  return { ...identityOf(entry), type, name, path };
}

function identityOf({ id, appId }: Entry) {
  return { id, appid: appId };
}
