import type { Request } from 'express';
import { languageOf, type Language } from '../../../common/texts/languages.js';
import { textIn, textsIn } from '../../../common/texts/translations.js';

type English = (typeof import('../../../common/texts/en.json'))['texts']['login'];

export interface LoginTexts extends Omit<English, keyof Filled>, Filled {
  readonly language: Language;
}

/** Texts with gaps. */
interface Filled {
  readonly loginWith: (provider: string) => string;
  readonly tooManyAttempts: (seconds: number) => string;
  readonly tooManyLinks: (seconds: number) => string;
  readonly asUser: (displayName: string, userId: string) => string;
}

/** In the browser's preferred language among the supported ones. */
export function textsFor(request: Request): LoginTexts {
  const language = languageOf(request);
  const text = (key: string, values?: Readonly<Record<string, string>>): string =>
    textIn(language, 'login', key, values);
  const duration = (unit: 'second' | 'minute') =>
    new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' });
  return {
    ...(textsIn(language, 'login') as English),
    language,
    loginWith: (provider) => text('loginWith', { provider }),
    tooManyAttempts: (seconds) =>
      text('tooManyAttempts', { duration: duration('second').format(seconds) }),
    tooManyLinks: (seconds) =>
      text('tooManyLinks', { duration: duration('minute').format(Math.ceil(seconds / 60)) }),
    asUser: (displayName, userId) =>
      text('asUser', { user: displayName === userId ? userId : `${displayName} (${userId})` }),
  };
}
