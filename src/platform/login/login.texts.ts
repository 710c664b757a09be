import type { Request } from 'express';
import { languageOf } from '../../common/texts/languages.js';
import { textIn } from '../../common/texts/translations.js';

/** Texts of the login pages. */
export interface LoginTexts {
  readonly language: string;
  readonly login: string;
  readonly loginWith: (provider: string) => string;
  readonly user: string;
  readonly password: string;
  readonly wrongCredentials: string;
  readonly tooManyAttempts: (seconds: number) => string;
  readonly forgotten: string;
  readonly userOrMail: string;
  readonly sendLink: string;
  readonly linkSent: string;
  readonly tooManyLinks: (seconds: number) => string;
  readonly choosePassword: string;
  readonly newPassword: string;
  readonly repeatPassword: string;
  readonly linkCode: string;
  readonly setPassword: string;
  readonly passwordSet: string;
  readonly linkOver: string;
  readonly passwordsDiffer: string;
  readonly directoryAway: string;
  readonly busy: string;
  readonly fromElsewhere: string;
  readonly codeTitle: string;
  readonly codeHint: string;
  readonly code: string;
  readonly wrongCode: string;
  readonly wrongPassword: string;
  readonly loginWithPasskey: string;
  readonly confirmWithPasskey: string;
  readonly passkeyRefused: string;
  readonly passkeyNotEnough: string;
  readonly startOver: string;
  readonly setUpTitle: string;
  readonly factorRequired: string;
  readonly scan: string;
  readonly qrCode: string;
  readonly openApp: string;
  readonly secret: string;
  readonly codeOfApp: string;
  readonly confirm: string;
  readonly recoveryCodes: string;
  readonly keepCodes: string;
  readonly goOn: string;
  readonly connect: string;
  readonly wantsAccess: string;
  readonly asUser: (displayName: string, userId: string) => string;
  readonly onlyIfBegun: string;
  readonly grant: string;
  readonly deny: string;
  readonly granted: string;
  readonly denied: string;
  readonly flowIsOver: string;
}

/** In the browser's preferred language among the supported ones. */
export function textsFor(request: Request): LoginTexts {
  const language = languageOf(request);
  const text = (key: string, values?: Readonly<Record<string, string>>): string =>
    textIn(language, 'login', key, values);
  const duration = (unit: 'second' | 'minute') =>
    new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' });
  return {
    language,
    login: text('login'),
    loginWith: (provider) => text('loginWith', { provider }),
    user: text('user'),
    password: text('password'),
    wrongCredentials: text('wrongCredentials'),
    tooManyAttempts: (seconds) =>
      text('tooManyAttempts', { duration: duration('second').format(seconds) }),
    forgotten: text('forgotten'),
    userOrMail: text('userOrMail'),
    sendLink: text('sendLink'),
    linkSent: text('linkSent'),
    tooManyLinks: (seconds) =>
      text('tooManyLinks', { duration: duration('minute').format(Math.ceil(seconds / 60)) }),
    choosePassword: text('choosePassword'),
    newPassword: text('newPassword'),
    repeatPassword: text('repeatPassword'),
    linkCode: text('linkCode'),
    setPassword: text('setPassword'),
    passwordSet: text('passwordSet'),
    linkOver: text('linkOver'),
    passwordsDiffer: text('passwordsDiffer'),
    directoryAway: text('directoryAway'),
    busy: text('busy'),
    fromElsewhere: text('fromElsewhere'),
    codeTitle: text('codeTitle'),
    codeHint: text('codeHint'),
    code: text('code'),
    wrongCode: text('wrongCode'),
    wrongPassword: text('wrongPassword'),
    loginWithPasskey: text('loginWithPasskey'),
    confirmWithPasskey: text('confirmWithPasskey'),
    passkeyRefused: text('passkeyRefused'),
    passkeyNotEnough: text('passkeyNotEnough'),
    startOver: text('startOver'),
    setUpTitle: text('setUpTitle'),
    factorRequired: text('factorRequired'),
    scan: text('scan'),
    qrCode: text('qrCode'),
    openApp: text('openApp'),
    secret: text('secret'),
    codeOfApp: text('codeOfApp'),
    confirm: text('confirm'),
    recoveryCodes: text('recoveryCodes'),
    keepCodes: text('keepCodes'),
    goOn: text('goOn'),
    connect: text('connect'),
    wantsAccess: text('wantsAccess'),
    asUser: (displayName, userId) =>
      text('asUser', { user: displayName === userId ? userId : `${displayName} (${userId})` }),
    onlyIfBegun: text('onlyIfBegun'),
    grant: text('grant'),
    deny: text('deny'),
    granted: text('granted'),
    denied: text('denied'),
    flowIsOver: text('flowIsOver'),
  };
}
