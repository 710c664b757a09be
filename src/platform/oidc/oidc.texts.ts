import type { Request } from 'express';
import type { OidcProblem } from './oidc.errors.js';

type ProblemTexts = Readonly<Record<OidcProblem, (provider: string) => string>>;

const ENGLISH: ProblemTexts = {
  unreachable: (provider) => `${provider} cannot be reached at the moment. Try again later.`,
  expired: () => 'This login took too long or was started in another browser. Please start again.',
  cancelled: (provider) => `${provider} did not log you in.`,
  unproven: (provider) => `The answer of ${provider} could not be verified. Please start again.`,
  'no-usable-name': (provider) =>
    `${provider} sent no valid user name. Please ask an administrator.`,
  'no-account': () => 'You do not have an account here yet. Please ask an administrator.',
  'name-taken': () =>
    'An account with your name already exists and is not linked to you. Please ask an administrator.',
  disabled: () => 'Your account is disabled.',
};

const GERMAN: ProblemTexts = {
  unreachable: (provider) =>
    `${provider} ist gerade nicht erreichbar. Versuchen Sie es gleich noch einmal.`,
  expired: () =>
    'Diese Anmeldung hat zu lange gedauert oder wurde in einem anderen Browser begonnen. Bitte beginnen Sie noch einmal.',
  cancelled: (provider) => `${provider} hat Sie nicht angemeldet.`,
  unproven: (provider) =>
    `Die Antwort von ${provider} konnte nicht bestätigt werden. Bitte beginnen Sie noch einmal.`,
  'no-usable-name': (provider) =>
    `${provider} nennt keinen Namen, der hier ein Benutzername sein kann. Die Administration kann helfen.`,
  'no-account': () =>
    'Für Sie gibt es hier noch kein Konto. Die Administration kann eines anlegen.',
  'name-taken': () =>
    'Ein Konto mit Ihrem Namen gibt es hier schon; es ist nicht mit Ihnen verbunden. Die Administration kann helfen.',
  disabled: () => 'Ihr Konto ist gesperrt.',
};

/** In the browser's preferred language among the supported ones. */
export function problemText(request: Request, problem: OidcProblem, provider: string): string {
  const texts = request.acceptsLanguages('en', 'de') === 'de' ? GERMAN : ENGLISH;
  return texts[problem](provider);
}
