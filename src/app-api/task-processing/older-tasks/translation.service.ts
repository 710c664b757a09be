import { Injectable } from '@nestjs/common';
import type { Patience } from '../../../common/ports/patience.js';
import {
  type LanguagePair,
  type TranslatedText,
  type TranslationRequest,
} from '../../../common/ports/translation.js';
import { TranslationOffer } from '../../../common/ports/translation.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { ExAppUnreachable } from '../../app-api.errors.js';
import { ExAppClient } from '../../apps/client/ex-app-client.service.js';
import { ExAppsRepository } from '../../apps/ex-apps.repository.js';
import type { Registration } from '../../capabilities/capability.js';
import { RegistrationsRepository } from '../../capabilities/registrations.repository.js';
import { LanguageNotDetected, NoProvider } from '../task-processing.errors.js';
import { TRANSLATE } from '../types/older-kinds.js';
import { OlderTasks } from './older-tasks.service.js';
import { TRANSLATION_PROVIDER, type TranslationFields } from './providers.js';
import { hasLanguages, pairsOf, TranslationTasks } from './translation-tasks.service.js';

type Provider = Registration<TranslationFields>;

const DETECTION_SECONDS = 10;

/** Translation by external apps: by task processing if its provider has the languages. */
@Injectable()
export class TranslationService {
  constructor(
    private readonly pulled: TranslationTasks,
    private readonly tasks: OlderTasks,
    private readonly registrations: RegistrationsRepository,
    private readonly apps: ExAppsRepository,
    private readonly client: ExAppClient,
    offer: TranslationOffer,
  ) {
    offer.fill(this);
  }

  async translate(
    account: Account,
    request: TranslationRequest,
    patience?: Patience,
  ): Promise<TranslatedText> {
    return (
      (await this.pulled.translate(account, request, patience)) ??
      (await this.#push(account, request, patience))
    );
  }

  async languages(): Promise<LanguagePair[]> {
    const [offer, providers] = await Promise.all([this.pulled.offer(), this.#providers()]);
    const pairs = [
      ...(offer === null ? [] : pairsOf(offer.from, offer.to)),
      ...providers.flatMap(({ fields }) => pairsOf(fields.fromLanguages, fields.toLanguages)),
    ];
    // The first one of a pair names its languages.
    const named = new Map<string, LanguagePair>();
    for (const pair of pairs) {
      const key = `${pair.from} ${pair.to}`;
      named.set(key, named.get(key) ?? pair);
    }
    return [...named.values()];
  }

  async translates(from: string | null, to: string): Promise<boolean> {
    return (
      hasLanguages(await this.pulled.offer(), from, to) ||
      (await this.#providers()).some(
        ({ fields }) =>
          Object.hasOwn(fields.toLanguages, to) &&
          (from === null
            ? Object.keys(fields.fromLanguages).some((source) => source !== to)
            : from !== to && Object.hasOwn(fields.fromLanguages, from)),
      )
    );
  }

  async detectsLanguages(): Promise<boolean> {
    return (
      (await this.pulled.offer())?.detects === true ||
      (await this.#providers()).some(({ fields }) => fields.actionDetectLang !== '')
    );
  }

  /** Translates with a provider that the gateway calls. */
  async #push(
    account: Account,
    request: TranslationRequest,
    patience: Patience | undefined,
  ): Promise<TranslatedText> {
    const { text, to } = request;
    const able = (await this.#providers()).filter(
      (provider) =>
        isCalled(provider, request.provider) && Object.hasOwn(provider.fields.toLanguages, to),
    );
    const from = request.from ?? (await this.#detect(account, able, text));
    if (from === to) {
      return { text, from };
    }
    const provider = able.find(
      ({ fields }) => from === null || Object.hasOwn(fields.fromLanguages, from),
    );
    if (provider === undefined) {
      throw new NoProvider(`No external app translates from "${from ?? 'unknown'}" to "${to}".`);
    }
    const input = { from_language: from, to_language: to, text };
    const work = { typeId: TRANSLATE, userId: account.userId, input, provider };
    return { text: await this.tasks.run(work, patience), from };
  }

  #providers(): Promise<Provider[]> {
    return this.registrations.ofReachableAppsFirst(TRANSLATION_PROVIDER);
  }

  /** @returns null if no provider detects languages; the translating provider decides then */
  async #detect(
    account: Account,
    providers: readonly Provider[],
    text: string,
  ): Promise<string | null> {
    const provider = providers.find(({ fields }) => fields.actionDetectLang !== '');
    const app = provider && (await this.apps.find(provider.appId));
    if (!provider || !app) {
      return null;
    }
    try {
      const { body } = await this.client.send(app, {
        method: 'POST',
        route: provider.fields.actionDetectLang,
        userId: account.userId,
        json: { text },
        timeoutSeconds: DETECTION_SECONDS,
      });
      return detectedIn(body.toString());
    } catch (error) {
      if (error instanceof ExAppUnreachable) {
        throw new LanguageNotDetected(`The language could not be detected: ${error.told}`);
      }
      throw error;
    }
  }
}

function isCalled({ appId, key }: Provider, wanted: string | undefined): boolean {
  return wanted === undefined || wanted === key || wanted === `${appId}:${key}`;
}

/** @throws LanguageNotDetected with the provider's error */
function detectedIn(answer: string): string {
  const { detected_lang: language, error } = parsed(answer);
  if (typeof language === 'string' && language !== '') {
    return language;
  }
  const reason = typeof error === 'string' && error !== '' ? error : 'the provider gave no reason';
  throw new LanguageNotDetected(`The language could not be detected: ${reason}`);
}

function parsed(answer: string): { readonly detected_lang?: unknown; readonly error?: unknown } {
  try {
    const value: unknown = JSON.parse(answer);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
