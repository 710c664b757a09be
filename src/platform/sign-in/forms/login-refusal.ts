import { WrongCode } from '../../platform.errors.js';
import { PasskeyRefused } from '../../platform.errors.js';
import { PasskeyNotEnough } from '../../platform.errors.js';
import {
  DirectoryUnavailable,
  LoginRefused,
  TooManyLoginAttempts,
  TooManyVerifications,
} from '../../platform.errors.js';
import type { Refusal } from './login-answers.js';
import type { LoginTexts } from './login.texts.js';

/** What a form of the login says about an error. Rethrows errors that are not about the credentials. */
export function refusalOf(error: unknown, texts: LoginTexts): Refusal {
  if (error instanceof LoginRefused) {
    return { status: 403, problem: texts.wrongCredentials };
  }
  if (error instanceof WrongCode) {
    return { status: 403, problem: texts.wrongCode };
  }
  if (error instanceof PasskeyRefused) {
    return { status: 403, problem: texts.passkeyRefused };
  }
  if (error instanceof PasskeyNotEnough) {
    return { status: 403, problem: texts.passkeyNotEnough };
  }
  if (error instanceof TooManyLoginAttempts) {
    const { retryAfterSeconds } = error;
    return { status: 429, problem: texts.tooManyAttempts(retryAfterSeconds), retryAfterSeconds };
  }
  if (error instanceof TooManyVerifications) {
    return { status: 503, problem: texts.busy, retryAfterSeconds: error.retryAfterSeconds };
  }
  if (error instanceof DirectoryUnavailable) {
    const { retryAfterSeconds } = error;
    return { status: 503, problem: texts.directoryAway, retryAfterSeconds };
  }
  throw error;
}
