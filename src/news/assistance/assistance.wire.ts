import { z } from 'zod';
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

export const PossibilitiesAnswer = z.object({
  translate: z.object({
    languages: z.array(
      z.object({ from: z.string(), fromLabel: z.string(), to: z.string(), toLabel: z.string() }),
    ),
    detects: z.boolean(),
  }),
  textTasks: z.array(z.string()),
  transcribe: z.boolean(),
});

/** With the result, once it is done. */
export const AssistanceAnswer = z
  .object({
    id: z.int(),
    kind: z.string(),
    state: z.enum(['running', 'done', 'failed']),
    started: z.int().describe('Unix seconds.'),
    progress: z.number().nullable(),
    error: z.string().nullable(),
    text: z.string().optional(),
    title: z.string().optional(),
    body: z.string().optional(),
    from: z.string().nullable().optional(),
    to: z.string().optional(),
  })
  .meta({ id: 'Assistance' });
