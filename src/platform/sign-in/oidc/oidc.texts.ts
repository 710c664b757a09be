import type { Request } from 'express';
import { languageOf } from '../../../common/texts/languages.js';
import { textIn } from '../../../common/texts/translations.js';
import type { OidcProblem } from './oidc.errors.js';

/** In the browser's preferred language among the supported ones. */
export function problemText(request: Request, problem: OidcProblem, provider: string): string {
  return textIn(languageOf(request), 'oidc', problem, { provider });
}
