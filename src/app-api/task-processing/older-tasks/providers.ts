import { z } from 'zod';
import { looseMap, orElse } from '../../../common/http/loose-inputs.js';
import { TEXT_TASK_TYPES } from '../../administration/gateway.capabilities.js';
import {
  byName,
  identityOf,
  type Capability,
  type Registration,
} from '../../capabilities/capability.js';
import { appPath, handler, name, text } from '../../field-schemas.js';

const provider = { name: name(64), displayName: text(64), actionHandler: handler(410) };

const languages = looseMap(text(255), 'must be an object of language codes and names');

const translation = z.object({
  ...provider,
  /** Language code to name. */
  fromLanguages: languages,
  toLanguages: languages,
  /** Empty if the provider cannot detect languages. */
  actionDetectLang: orElse(appPath(410), ''),
});

export type TextTaskType = (typeof TEXT_TASK_TYPES)[number];

const textProcessing = z.object({
  ...provider,
  taskType: z.enum(TEXT_TASK_TYPES, { error: `must be one of ${TEXT_TASK_TYPES.join(', ')}` }),
});

const speechToText = z.object(provider);

export type TranslationFields = z.output<typeof translation>;
type TextProcessingFields = z.output<typeof textProcessing>;
type SpeechToTextFields = z.output<typeof speechToText>;

export const TRANSLATION_PROVIDER: Capability<TranslationFields> = {
  kind: 'translation',
  routes: ['v1/ai_provider/translation'],
  input: translation,
  keyInput: byName(64),
  keyOf: (fields) => fields.name,
  toJson: (registration) => ({
    ...toProviderJson(registration),
    from_languages: registration.fields.fromLanguages,
    to_languages: registration.fields.toLanguages,
    action_detect_lang: registration.fields.actionDetectLang,
  }),
  missing: 'No such translation provider',
};

export const TEXT_PROCESSING_PROVIDER: Capability<TextProcessingFields> = {
  kind: 'text_processing',
  routes: ['v1/ai_provider/text_processing'],
  input: textProcessing,
  keyInput: byName(64),
  keyOf: (fields) => fields.name,
  toJson: (registration) => ({
    ...toProviderJson(registration),
    task_type: registration.fields.taskType,
  }),
  missing: 'No such text-processing provider',
};

/** The second route is the specification's. */
export const SPEECH_TO_TEXT_PROVIDER: Capability<SpeechToTextFields> = {
  kind: 'speech_to_text',
  routes: ['v1/ai_provider/speech_to_text', 'v1/provider/speech_to_text'],
  input: speechToText,
  keyInput: byName(64),
  keyOf: (fields) => fields.name,
  toJson: toProviderJson,
  missing: 'No such speech-to-text provider',
};

function toProviderJson({ fields, ...entry }: Registration<SpeechToTextFields>) {
  return {
    ...identityOf(entry),
    name: fields.name,
    display_name: fields.displayName,
    action_handler: fields.actionHandler,
  };
}
