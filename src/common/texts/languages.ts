import type { Request } from 'express';

/** Languages of the service's own sentences, as of the pages. The first is the default. */
export const LANGUAGES = [
  'en',
  'ar',
  'cs',
  'de',
  'es',
  'fr',
  'he',
  'it',
  'ja',
  'nl',
  'pl',
  'pt',
  'ru',
  'tr',
  'uk',
  'zh',
] as const;

export type Language = (typeof LANGUAGES)[number];

/** @returns the language with this code; English if there is none */
export function languageFrom(code: string): Language {
  return LANGUAGES.find((language) => language === code) ?? 'en';
}

/** Text direction of documents that the service writes. */
export function directionOf(language: string): 'ltr' | 'rtl' {
  return /^(?:ar|he)(?![a-z])/i.test(language) ? 'rtl' : 'ltr';
}

/** @returns the supported language that `Accept-Language` prefers; English if none matches */
export function languageOf(request: Pick<Request, 'acceptsLanguages'>): Language {
  const preferred = request.acceptsLanguages(...LANGUAGES);
  return languageFrom(preferred || '');
}
