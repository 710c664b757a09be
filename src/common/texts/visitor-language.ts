import type { Request } from 'express';
import { AsyncLocalStorage } from 'node:async_hooks';
import { languageOf, type Language } from './languages.js';
import { sentenceIn } from './translations.js';

const requests = new AsyncLocalStorage<Request>();

/** Runs `work` for the sender of a request. */
export function forSenderOf<Result>(request: Request, work: () => Result): Result {
  return requests.run(request, work);
}

/** English outside of a request. */
export function visitorLanguage(): Language {
  const request = requests.getStore();
  return request === undefined ? 'en' : languageOf(request);
}

/**
 * A stored sentence, such as why a feed failed, in the visitor's language. Only for output: stored and
 * logged sentences stay English, as do all outside of a request.
 */
export function shownSentence<Sentence extends string | null>(
  sentence: Sentence,
): Sentence | string {
  const request = requests.getStore();
  return request === undefined || sentence === null
    ? sentence
    : sentenceIn(languageOf(request), sentence);
}
