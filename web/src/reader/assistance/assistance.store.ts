import { defineStore } from 'pinia';
import { ref, shallowRef } from 'vue';
import { preferredLanguage } from '../../texts/i18n.js';
import { page } from '../../host/page-context.js';
import { RequestFailed } from '../../host/http.js';
import {
  askForAssistance,
  assistanceOffer,
  cancelAssistance,
  findAssistance,
  type Assistance,
  type AssistanceKind,
  type AssistanceOffer,
} from './assistance-api.js';
import { preferences } from '../model/preferences.js';

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
  const offer = shallowRef<AssistanceOffer | null>(null);
  const job = shallowRef<AssistanceJob | null>(null);
  /** Whether the original is shown despite a translation. */
  const showsOriginal = ref(false);
  const toLanguage = ref('');
  const fromLanguage = ref('');
  /** Counts requests, so that a late answer of an earlier one is dropped. */
  let asked = 0;

  async function loadOffer(): Promise<void> {
    if (!page.parts.has('assistance')) {
      return;
    }
    offer.value = await assistanceOffer();
    const { languages, detects } = offer.value.translate;
    const wanted = (preferences.translateTo || preferredLanguage()).toLowerCase();
    const known = languages.find(({ to }) => to.toLowerCase().startsWith(wanted)) ?? languages[0];
    toLanguage.value = known?.to ?? '';
    fromLanguage.value = detects ? '' : (known?.from ?? '');
  }

  async function ask(itemId: number, kind: AssistanceKind): Promise<void> {
    const begun: AssistanceJob = { itemId, kind, running: null, answer: null, problem: null };
    asked += 1;
    const turn = asked;
    const isCurrent = () => turn === asked && job.value !== null;
    job.value = begun;
    showsOriginal.value = false;
    try {
      let answer = await askForAssistance(
        itemId,
        kind,
        kind === 'translate' ? languages() : undefined,
      );
      while (answer.state === 'running' && isCurrent()) {
        job.value = { ...begun, running: answer };
        await new Promise((resolve) => setTimeout(resolve, POLL_MILLISECONDS));
        answer = await findAssistance(itemId, answer.id);
      }
      if (isCurrent()) {
        const isDone = answer.state === 'done';
        job.value = isDone ? { ...begun, answer } : { ...begun, problem: answer.error ?? '' };
      }
    } catch (error) {
      if (isCurrent()) {
        job.value = { ...begun, problem: error instanceof RequestFailed ? error.message : '' };
      }
    }
  }

  function languages(): { to: string; from?: string } {
    preferences.translateTo = toLanguage.value;
    return fromLanguage.value === ''
      ? { to: toLanguage.value }
      : { to: toLanguage.value, from: fromLanguage.value };
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

  return { offer, job, showsOriginal, toLanguage, fromLanguage, loadOffer, ask, cancel, end };
});
