import { Injectable } from '@nestjs/common';
import type { Patience } from '../../../common/ports/patience.js';
import type {
  LanguagePair,
  TranslatedText,
  TranslationRequest,
} from '../../../common/ports/translation.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { TaskCatalogue, type TaskProvider } from '../providers/task-catalogue.service.js';
import type { SlotValues } from '../queue/processing-task.entity.js';
import { TRANSLATE } from '../types/older-kinds.js';
import { OlderTasks } from './older-tasks.service.js';

/** The value of `origin_language` by which providers are asked to detect the language. */
const DETECTION = 'detect_language';

/** Languages and limits of the preferred translation provider. */
interface TranslationOffer {
  readonly providerId: string;
  readonly appId: string;
  readonly from: Languages;
  readonly to: Languages;
  /** Whether the language of a text can be left to the provider. */
  readonly detects: boolean;
}

/** Translations by task processing. */
@Injectable()
export class TranslationTasks {
  constructor(
    private readonly catalogue: TaskCatalogue,
    private readonly tasks: OlderTasks,
  ) {}

  /** Null without a provider. */
  async offer(): Promise<TranslationOffer | null> {
    const available = (await this.catalogue.available()).get(TRANSLATE);
    return available === undefined ? null : offerOf(available.provider);
  }

  /**
   * Schedules a translation and waits for it.
   *
   * @returns null if the provider has not these languages, or is not the wanted one
   * @throws TaskFailed; the reason of `patience.signal`
   */
  async translate(
    account: Account,
    { text, from, to, provider }: TranslationRequest,
    patience: Patience = {},
  ): Promise<TranslatedText | null> {
    const offer = await this.offer();
    const input = offer && isCalled(offer, provider) ? languageSlots(offer, from, to) : null;
    if (input === null) {
      return null;
    }
    if (input['origin_language'] === input['target_language']) {
      return { text, from };
    }
    const work = { typeId: TRANSLATE, userId: account.userId, input: { input: text, ...input } };
    return {
      text: await this.tasks.run(work, patience),
      from: from === DETECTION ? null : from,
    };
  }
}

/** Whether an offer has both languages; `from` is null to detect it. */
export function hasLanguages(
  offer: TranslationOffer | null,
  from: string | null,
  to: string,
): boolean {
  return offer !== null && languageSlots(offer, from, to) !== null;
}

function offerOf({ id, appId, inputEnumValues, inputDefaults }: TaskProvider): TranslationOffer {
  const { [DETECTION]: detection, ...from } = languagesOf(inputEnumValues['origin_language']);
  const detects = detection !== undefined || inputDefaults['origin_language'] === DETECTION;
  // Clients choose from pairs, so a provider without named sources has detection as the source.
  const onlyDetects = detects && Object.keys(from).length === 0;
  return {
    providerId: id,
    appId,
    from: onlyDetects ? { [DETECTION]: detection ?? 'Detect language' } : from,
    to: languagesOf(inputEnumValues['target_language']),
    detects,
  };
}

function languagesOf(
  values: readonly { readonly name: string; readonly value: string }[] = [],
): Languages {
  return Object.fromEntries(values.map(({ name, value }) => [value, name]));
}

/** Null if a language is unknown. */
function languageSlots(
  { from: sources, to: targets, detects }: TranslationOffer,
  from: string | null,
  to: string,
): SlotValues | null {
  const target = matchLanguage(Object.keys(targets), to);
  const source =
    from === null ? (detects ? DETECTION : null) : matchLanguage(Object.keys(sources), from);
  return target === null || source === null
    ? null
    : { origin_language: source, target_language: target };
}

function isCalled({ appId, providerId }: TranslationOffer, wanted: string | undefined): boolean {
  return wanted === undefined || wanted === providerId || wanted === `${appId}:${providerId}`;
}

/** Languages of a provider: code to name. */
type Languages = Readonly<Record<string, string>>;

/** Above this number, only enough pairs are listed to name each language as source and as target. */
const MOST_PAIRS = 5000;

/** All pairs of two different languages, up to `MOST_PAIRS`. */
export function pairsOf(from: Languages, to: Languages): LanguagePair[] {
  const sources = Object.entries(from);
  const targets = Object.entries(to);
  const isHuge = sources.length * targets.length > MOST_PAIRS;
  return sources.flatMap(([source, fromLabel], place) =>
    targets
      .filter(([target], nth) => target !== source && (!isHuge || place <= 1 || nth <= 1))
      .map(([target, toLabel]) => ({ from: source, fromLabel, to: target, toLabel })),
  );
}

/**
 * Finds a language among a provider's codes: `de` is also found as `de_DE`, and `de-DE` as `de`.
 *
 * @returns the provider's code
 */
function matchLanguage(codes: readonly string[], wanted: string): string | null {
  const same = (normal: (code: string) => string) =>
    codes.find((code) => normal(code) === normal(wanted));
  return (
    same((code) => code) ??
    same(plain) ??
    same((code) => plain(code).split('-', 1)[0] ?? '') ??
    null
  );
}

function plain(code: string): string {
  return code.toLowerCase().replaceAll('_', '-');
}
