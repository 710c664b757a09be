import { defineStore } from 'pinia';
import { ref, shallowRef } from 'vue';
import { preferredLanguage } from '../../texts/i18n.js';
import { RequestFailed } from '../../host/http.js';
import {
  askForAssistance,
  assistanceOffer,
  findAssistance,
  type Assistance,
  type AssistanceKind,
  type AssistanceOffer,
} from '../news-api.js';
import { preferences } from '../preferences.js';

/** Something an external app does, or did, with the article that is open. */
export interface AssistanceJob {
  readonly itemId: number;
  readonly kind: AssistanceKind;
  /** Null until the app is done. */
  readonly answer: Assistance | null;
  /** The reason in words, maybe empty; null unless it failed. */
  readonly problem: string | null;
}

const LOOK_MILLISECONDS = 2_000;

/** Help of external apps with articles: translations, summaries and the like. */
export const useAssistance = defineStore('reader-assistance', () => {
  const offer = shallowRef<AssistanceOffer | null>(null);
  const job = shallowRef<AssistanceJob | null>(null);
  /** While a translation is there, too. */
  const showsOriginal = ref(false);
  const toLanguage = ref('');
  const fromLanguage = ref('');

  /** What can be asked for; nothing while that is unknown. */
  async function loadOffer(): Promise<void> {
    offer.value = await assistanceOffer();
    const { languages, detects } = offer.value.translate;
    const wanted = preferences.translateTo || preferredLanguage();
    const known = languages.find(({ to }) => to.toLowerCase().startsWith(wanted)) ?? languages[0];
    toLanguage.value = known?.to ?? '';
    fromLanguage.value = detects ? '' : (known?.from ?? '');
  }

  async function ask(itemId: number, kind: AssistanceKind): Promise<void> {
    const begun: AssistanceJob = { itemId, kind, answer: null, problem: null };
    job.value = begun;
    showsOriginal.value = false;
    try {
      let answer = await askForAssistance(
        itemId,
        kind,
        kind === 'translate' ? languages() : undefined,
      );
      while (answer.state === 'running' && job.value === begun) {
        await new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS));
        answer = await findAssistance(itemId, answer.id);
      }
      if (job.value === begun) {
        const isDone = answer.state === 'done';
        job.value = isDone ? { ...begun, answer } : { ...begun, problem: answer.error ?? '' };
      }
    } catch (error) {
      if (job.value === begun) {
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

  /** Back to the article as it is. The app may go on; its answer is kept for the next time. */
  function end(): void {
    job.value = null;
    showsOriginal.value = false;
  }

  return { offer, job, showsOriginal, toLanguage, fromLanguage, loadOffer, ask, end };
});
