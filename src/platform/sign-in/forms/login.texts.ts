import type { Request } from 'express';
import { languageOf, type Language } from '../../../common/texts/languages.js';
import { textIn } from '../../../common/texts/translations.js';

const PLAIN = [
  'login',
  'user',
  'password',
  'wrongCredentials',
  'forgotten',
  'userOrMail',
  'sendLink',
  'linkSent',
  'choosePassword',
  'newPassword',
  'repeatPassword',
  'linkCode',
  'setPassword',
  'passwordSet',
  'linkOver',
  'passwordsDiffer',
  'directoryAway',
  'busy',
  'fromElsewhere',
  'codeTitle',
  'codeHint',
  'code',
  'wrongCode',
  'wrongPassword',
  'loginWithPasskey',
  'confirmWithPasskey',
  'passkeyRefused',
  'passkeyNotEnough',
  'startOver',
  'setUpTitle',
  'factorRequired',
  'scan',
  'qrCode',
  'openApp',
  'secret',
  'codeOfApp',
  'confirm',
  'recoveryCodes',
  'keepCodes',
  'goOn',
  'connect',
  'wantsAccess',
  'onlyIfBegun',
  'grant',
  'deny',
  'granted',
  'denied',
  'flowIsOver',
] as const;

type Plain = Readonly<Record<(typeof PLAIN)[number], string>>;

/** Texts of the login pages. */
export interface LoginTexts extends Plain {
  readonly language: Language;
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
    ...(Object.fromEntries(PLAIN.map((key) => [key, text(key)])) as Plain),
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
