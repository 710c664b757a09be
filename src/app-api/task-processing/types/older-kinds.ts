/** What the older routes and providers call a kind of work. */
export type OlderKind = 'translation' | 'text_processing' | 'speech_to_text';

export const TRANSLATE = 'core:text2text:translate';
export const TRANSCRIBE = 'core:audio2text';

/** The ids of the task types of older text tasks. */
export const TYPE_OF_TEXT = {
  free_prompt: 'core:text2text',
  headline: 'core:text2text:headline',
  summary: 'core:text2text:summary',
  topics: 'core:text2text:topics',
} as const;

/** The task types of a kind. */
export const TYPES_OF_KIND: Readonly<Record<OlderKind, readonly string[]>> = {
  translation: [TRANSLATE],
  text_processing: Object.values(TYPE_OF_TEXT),
  speech_to_text: [TRANSCRIBE],
};

/** The kind of a task that the older routes know. */
export function olderKindOf(typeId: string): OlderKind {
  if (typeId === TRANSLATE) {
    return 'translation';
  }
  return typeId === TRANSCRIBE ? 'speech_to_text' : 'text_processing';
}
