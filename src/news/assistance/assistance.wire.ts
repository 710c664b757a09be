import { shownSentence } from '../../common/texts/visitor-language.js';
import type { Assistance } from './assistance.repository.js';
import type { Possibilities } from './assistance.service.js';

/** @see docs/news-api.md "Help of external apps" */
export function toPossibilitiesJson(possible: Possibilities): object {
  return {
    translate: {
      languages: possible.languages.map(({ from, fromLabel, to, toLabel }) => ({
        from,
        fromLabel,
        to,
        toLabel,
      })),
      detects: possible.detectsLanguages,
    },
    textTasks: possible.textKinds,
    transcribe: possible.transcribes,
  };
}

/** Once done, also `text`, or `title`, `body`, `from` and `to`. */
export function toAssistanceJson(assistance: Assistance): object {
  return {
    id: assistance.id,
    kind: assistance.kind,
    state: assistance.state,
    started: assistance.startedSeconds,
    progress: assistance.progress,
    error: shownSentence(assistance.error),
    ...assistance.result,
  };
}
