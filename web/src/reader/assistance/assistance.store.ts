import { defineStore } from 'pinia';
import { ref, shallowRef } from 'vue';
import { RequestFailed } from '../../host/http.js';
import { page } from '../../host/page-context.js';
import { preferredLanguage } from '../../texts/i18n.js';
import { preferences } from '../model/preferences.js';
import {
  askForAssistance,
  assistanceOffer,
  cancelAssistance,
  findAssistance,
  type Assistance,
  type AssistanceKind,
  type AssistanceOffer,
} from './assistance-api.js';

/** A task of an external app for the open article. */
export interface AssistanceJob {
  readonly itemId: number;
  readonly kind: AssistanceKind;
  /** The latest answer of the service; null before the first. */
  readonly running: Assistance | null;
  /** Null until done. */
  readonly answer: Assistance | null;
  /** Error message, possibly empty; null unless it failed. */
  readonly problem: string | null;
}

const POLL_MILLISECONDS = 2_000;

/** Translations, summaries and transcripts of articles by external apps. */
export const useAssistance = defineStore('reader-assistance', () => {
  const { languages, ...offered } = useOffer();
  const job = shallowRef<AssistanceJob | null>(null);
  /** Whether the original is shown despite a translation. */
  const showsOriginal = ref(false);
  /** Counts requests, so that a late answer of an earlier one is dropped. */
  let asked = 0;

  async function ask(itemId: number, kind: AssistanceKind): Promise<void> {
    const begun: AssistanceJob = { itemId, kind, running: null, answer: null, problem: null };
    asked += 1;
    const turn = asked;
    /** @returns whether the answer is still waited for */
    const show = (now: Partial<AssistanceJob>) => {
      const isCurrent = turn === asked && job.value !== null;
      job.value = isCurrent ? { ...begun, ...now } : job.value;
      return isCurrent;
    };
    job.value = begun;
    showsOriginal.value = false;
    try {
      const first = askForAssistance(itemId, kind, kind === 'translate' ? languages() : undefined);
      const answer = await lastAnswer(itemId, first, (running) => show({ running }));
      show(answer.state === 'done' ? { answer } : { problem: answer.error ?? '' });
    } catch (error) {
      show({ problem: error instanceof RequestFailed ? error.message : '' });
    }
  }

  /** Stops the app, unless others wait for it as well, and returns to the original article. */
  async function cancel(): Promise<void> {
    const { itemId, running } = job.value ?? {};
    end();
    if (itemId !== undefined && running) {
      // Refused for a task that others wait for, or that has just ended.
      await cancelAssistance(itemId, running.id).catch(() => {});
    }
  }

  /** Returns to the original article. The app continues, and its result is kept. */
  function end(): void {
    job.value = null;
    showsOriginal.value = false;
  }

  return { ...offered, job, showsOriginal, ask, cancel, end };
});

/** What apps offer, and the languages that are chosen for a translation. */
function useOffer() {
  const offer = shallowRef<AssistanceOffer | null>(null);
  const toLanguage = ref('');
  const fromLanguage = ref('');

  async function loadOffer(): Promise<void> {
    if (!page.parts.has('assistance')) {
      return;
    }
    offer.value = await assistanceOffer();
    const chosen = likelyLanguage(offer.value.translate);
    toLanguage.value = chosen?.to ?? '';
    fromLanguage.value = offer.value.translate.detects ? '' : (chosen?.from ?? '');
  }

  function languages(): { to: string; from?: string } {
    const [to, from] = [toLanguage.value, fromLanguage.value];
    preferences.translateTo = to;
    return from === '' ? { to } : { to, from };
  }

  return { offer, toLanguage, fromLanguage, loadOffer, languages };
}

function likelyLanguage({ languages }: AssistanceOffer['translate']) {
  const wanted = (preferences.translateTo || preferredLanguage()).toLowerCase();
  return languages.find(({ to }) => to.toLowerCase().startsWith(wanted)) ?? languages[0];
}

/** @param isWanted called with every answer before the last; false ends the waiting */
async function lastAnswer(
  itemId: number,
  first: Promise<Assistance>,
  isWanted: (running: Assistance) => boolean,
): Promise<Assistance> {
  let answer = await first;
  while (answer.state === 'running' && isWanted(answer)) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MILLISECONDS));
    answer = await findAssistance(itemId, answer.id);
  }
  return answer;
}
