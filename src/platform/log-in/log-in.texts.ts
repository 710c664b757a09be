import type { Request } from 'express';

/** What the pages of the log-in say. */
export interface LogInTexts {
  readonly language: string;
  readonly logIn: string;
  readonly logInWith: (provider: string) => string;
  readonly user: string;
  readonly password: string;
  readonly wrongCredentials: string;
  readonly tooManyAttempts: (seconds: number) => string;
  readonly busy: string;
  readonly fromElsewhere: string;
}

const ENGLISH: LogInTexts = {
  language: 'en',
  logIn: 'Log in',
  logInWith: (provider) => `Log in with ${provider}`,
  user: 'User name',
  password: 'Password',
  wrongCredentials: 'User name or password is wrong.',
  tooManyAttempts: (seconds) =>
    `There were too many failed attempts. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
  busy: 'Too many people are logging in at the same time. Try again in a moment.',
  fromElsewhere: 'This log-in was sent by a page of another site. Please log in here.',
};

const GERMAN: LogInTexts = {
  language: 'de',
  logIn: 'Anmelden',
  logInWith: (provider) => `Mit ${provider} anmelden`,
  user: 'Benutzername',
  password: 'Passwort',
  wrongCredentials: 'Benutzername oder Passwort ist falsch.',
  tooManyAttempts: (seconds) =>
    `Es gab zu viele fehlgeschlagene Versuche. Versuchen Sie es in ${seconds} ${seconds === 1 ? 'Sekunde' : 'Sekunden'} erneut.`,
  busy: 'Zu viele Personen melden sich gleichzeitig an. Versuchen Sie es gleich noch einmal.',
  fromElsewhere:
    'Diese Anmeldung wurde von einer Seite einer anderen Adresse abgeschickt. Bitte melden Sie sich hier an.',
};

/** In the language the browser likes best of those there are. */
export function textsFor(request: Request): LogInTexts {
  return request.acceptsLanguages('en', 'de') === 'de' ? GERMAN : ENGLISH;
}
