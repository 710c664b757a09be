import { z } from 'zod';
import { TEXT_TASK_TYPES } from './registration-fields.js';
import { orElse } from '../../common/http/loose-inputs.js';
import { appPath, flag, handler, integer, name, text } from '../field-schemas.js';

/*
 * What apps send to register something, and by what they name it later. Limits are those of the
 * columns of the reference, so that what is taken here is taken there.
 */

const NO_LIMIT = 1_000_000;

const ALL_PERMISSIONS = 31;

export const TopMenuName = z.object({ name: name(32) });
export const TopMenu = z.object({
  name: name(32),
  displayName: text(32),
  icon: orElse(appPath(410), ''),
  adminRequired: orElse(flag, false),
});

const pageResource = { type: name(16), name: name(32) };

export const InitialStateName = z.object({ ...pageResource, key: name(64) });
export const InitialState = z.object({
  ...pageResource,
  key: name(64),
  // Lists and objects stay what they are: `[]` is not `{}` for the app's own scripts.
  value: z.unknown().refine((value) => typeof value === 'object' && value !== null, {
    error: 'must be a list or an object',
  }),
});

export const ScriptName = z.object({ ...pageResource, path: handler(410) });
export const Script = z.object({
  ...pageResource,
  path: handler(410),
  afterAppId: orElse(text(32), ''),
});

export const StyleName = z.object({ ...pageResource, path: handler(410) });
export const Style = StyleName;

export const FileActionName = z.object({ name: name(64) });
export const FileAction = z.object({
  name: name(64),
  displayName: text(64),
  actionHandler: handler(64),
  icon: orElse(appPath(NO_LIMIT), ''),
  mime: orElse(text(NO_LIMIT), 'file'),
  permissions: orElse(integer, ALL_PERMISSIONS),
  order: orElse(integer, 0),
});

export const SettingsFormName = z.object({ formId: name(64) });
export const SettingsForm = z.object({
  formScheme: z.record(z.string(), z.unknown(), { error: 'must be an object' }),
});

const commandInputs = orElse(
  z.array(z.looseObject({ name: name(64) }, { error: 'must be an object with a name' }), {
    error: 'must be a list',
  }),
  [],
);

export const OccCommandName = z.object({ name: name(64) });
export const OccCommand = z.object({
  name: name(64),
  description: orElse(text(255), ''),
  hidden: orElse(flag, false),
  arguments: commandInputs,
  options: commandInputs,
  usages: orElse(z.array(text(NO_LIMIT), { error: 'must be a list of texts' }), []),
  executeHandler: handler(410),
});

const provider = { name: name(64), displayName: text(64), actionHandler: handler(410) };

// An empty list is how languages without keys look when they come from PHP or Lua.
const languages = z.preprocess(
  (value) => (Array.isArray(value) && value.length === 0 ? {} : value),
  z.record(z.string(), text(255), {
    error: 'must be an object of language codes and names',
  }),
);

export const ProviderName = z.object({ name: name(64) });
export const Translation = z.object({
  ...provider,
  fromLanguages: languages,
  toLanguages: languages,
  actionDetectLang: orElse(appPath(410), ''),
});
export const TextProcessing = z.object({
  ...provider,
  taskType: z.enum(TEXT_TASK_TYPES, { error: `must be one of ${TEXT_TASK_TYPES.join(', ')}` }),
});
export const SpeechToText = z.object(provider);

export const EventsListenerName = z.object({ eventType: name(32) });
export const EventsListener = z.object({
  eventType: name(32),
  eventSubtypes: orElse(z.array(text(64), { error: 'must be a list of texts' }), []),
  actionHandler: handler(410),
});

export const TalkBotRoute = z.object({ route: name(410) });
export const TalkBot = z.object({
  name: name(64),
  // As it was written: the bot's id depends on it.
  route: name(410),
  description: orElse(text(4000), ''),
});
