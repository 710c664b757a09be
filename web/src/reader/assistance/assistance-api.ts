import { requestJson } from '../../host/http.js';
import { change, NEWS_ROOT } from '../model/news-request.js';

/** The abilities of the enabled external apps. */
export interface AssistanceOffer {
  readonly translate: {
    readonly languages: readonly {
      readonly from: string;
      readonly fromLabel: string;
      readonly to: string;
      readonly toLabel: string;
    }[];
    /** Whether the source language can be detected. */
    readonly detects: boolean;
  };
  readonly textTasks: readonly ('summary' | 'topics' | 'headline')[];
  readonly transcribe: boolean;
}

export type AssistanceKind = 'translate' | 'summary' | 'topics' | 'headline' | 'transcript';

export interface Assistance {
  readonly id: number;
  readonly state: 'running' | 'done' | 'failed';
  /** Per cent; null if the app does not report any. */
  readonly progress: number | null;
  readonly error: string | null;
  /** Result of all kinds except translations. */
  readonly text?: string;
  /** Title and HTML body of a translation. */
  readonly title?: string;
  readonly body?: string;
}

export interface TranslationLanguages {
  readonly to: string;
  /** Default: detected. */
  readonly from?: string;
}

export const assistanceOffer = (): Promise<AssistanceOffer> =>
  requestJson<AssistanceOffer>(`${NEWS_ROOT}/assistance`);

/** The service answers "running", with progress, after this time. */
const WAIT_SECONDS = 2;

/** Starts a task, or returns the result of an earlier one. */
export const askForAssistance = (
  itemId: number,
  kind: AssistanceKind,
  languages?: TranslationLanguages,
): Promise<Assistance> =>
  change<Assistance>('POST', `/items/${itemId}/${kind}`, {
    ...languages,
    waitSeconds: WAIT_SECONDS,
  });

export const findAssistance = (itemId: number, id: number): Promise<Assistance> =>
  requestJson<Assistance>(`${NEWS_ROOT}/items/${itemId}/assistance/${id}`);

/** Allowed only to the user who started it. */
export const cancelAssistance = (itemId: number, id: number): Promise<void> =>
  change('DELETE', `/items/${itemId}/assistance/${id}`);
