import type { Request } from 'express';

/** Texts of the login pages. */
export interface LoginTexts {
  readonly language: string;
  readonly login: string;
  readonly loginWith: (provider: string) => string;
  readonly user: string;
  readonly password: string;
  readonly wrongCredentials: string;
  readonly tooManyAttempts: (seconds: number) => string;
  readonly busy: string;
  readonly fromElsewhere: string;
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

const ENGLISH: LoginTexts = {
  language: 'en',
  login: 'Log in',
  loginWith: (provider) => `Log in with ${provider}`,
  user: 'User name',
  password: 'Password',
  wrongCredentials: 'User name or password is wrong.',
  tooManyAttempts: (seconds) =>
    `There were too many failed attempts. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
  busy: 'Too many logins at the same time. Try again in a moment.',
  fromElsewhere: 'This login came from a page of another site. Please log in here.',
  connect: 'Connect a program',
  wantsAccess: 'This program asks for access:',
  asUser: (displayName, userId) =>
    displayName === userId
      ? `It will act as you, ${userId}.`
      : `It will act as you, ${displayName} (${userId}).`,
  onlyIfBegun: 'Allow it only if you have just started this yourself in that program.',
  grant: 'Allow access',
  deny: 'Deny',
  granted: 'The program is connected. You can close this window.',
  denied: 'The program was denied access. You can close this window.',
  flowIsOver:
    'There is no open request: it was answered or has expired. Start again in the program.',
};

const GERMAN: LoginTexts = {
  language: 'de',
  login: 'Anmelden',
  loginWith: (provider) => `Mit ${provider} anmelden`,
  user: 'Benutzername',
  password: 'Passwort',
  wrongCredentials: 'Benutzername oder Passwort ist falsch.',
  tooManyAttempts: (seconds) =>
    `Es gab zu viele fehlgeschlagene Versuche. Versuche es in ${seconds} ${seconds === 1 ? 'Sekunde' : 'Sekunden'} erneut.`,
  busy: 'Zu viele Personen melden sich gleichzeitig an. Versuche es gleich noch einmal.',
  fromElsewhere:
    'Diese Anmeldung wurde von einer Seite einer anderen Adresse abgeschickt. Bitte melde dich hier an.',
  connect: 'Programm verbinden',
  wantsAccess: 'Dieses Programm bittet um Zugriff:',
  asUser: (displayName, userId) =>
    displayName === userId
      ? `Es würde in deinem Namen handeln: ${userId}.`
      : `Es würde in deinem Namen handeln: ${displayName} (${userId}).`,
  onlyIfBegun: 'Erlaube es nur, wenn du das gerade selbst in diesem Programm begonnen hast.',
  grant: 'Zugriff erlauben',
  deny: 'Ablehnen',
  granted: 'Das Programm ist verbunden. Du kannst dieses Fenster schließen.',
  denied: 'Dem Programm wurde der Zugriff verweigert. Du kannst dieses Fenster schließen.',
  flowIsOver:
    'Hier wartet nichts auf dich: Die Anfrage ist beantwortet oder zu alt. Beginne im Programm von vorn.',
};

/** In the browser's preferred language among the supported ones. */
export function textsFor(request: Request): LoginTexts {
  return request.acceptsLanguages('en', 'de') === 'de' ? GERMAN : ENGLISH;
}
