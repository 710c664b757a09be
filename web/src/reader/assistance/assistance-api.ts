import { requestJson } from '../../host/http.js';
import { change, NEWS_ROOT } from '../news-request.js';

/** What external apps can do with articles now. */
export interface AssistanceOffer {
  readonly translate: {
    readonly languages: readonly {
      readonly from: string;
      readonly fromLabel: string;
      readonly to: string;
      readonly toLabel: string;
    }[];
    /** Whether the language of a text is found out. */
    readonly detects: boolean;
  };
  readonly textTasks: readonly ('summary' | 'topics' | 'headline')[];
  readonly transcribe: boolean;
}

export type AssistanceKind = 'translate' | 'summary' | 'topics' | 'headline' | 'transcript';

export interface Assistance {
  readonly id: number;
  readonly state: 'running' | 'done' | 'failed';
  readonly error: string | null;
  /** Of all kinds but translations. */
  readonly text?: string;
  /** Of translations; HTML. */
  readonly title?: string;
  readonly body?: string;
}

export interface TranslationLanguages {
  readonly to: string;
  /** Left out where it can be found out. */
  readonly from?: string;
}

export function assistanceOffer(): Promise<AssistanceOffer> {
  return requestJson<AssistanceOffer>(`${NEWS_ROOT}/assistance`);
}

/** Begins something that may take long, or finds what was done before. */
export function askForAssistance(
  itemId: number,
  kind: AssistanceKind,
  languages?: TranslationLanguages,
): Promise<Assistance> {
  return change<Assistance>('POST', `/items/${itemId}/${kind}`, languages);
}

export function findAssistance(itemId: number, id: number): Promise<Assistance> {
  return requestJson<Assistance>(`${NEWS_ROOT}/items/${itemId}/assistance/${id}`);
}
