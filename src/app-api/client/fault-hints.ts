import { OutgoingHttpError } from '../../common/http/outgoing-errors.js';
import type { ExAppUnreachable } from '../app-api.errors.js';
import type { ExAppAnswer } from './ex-app-client.js';

const REFUSED_CREDENTIALS = new Set([401, 403]);

/**
 * What an operator should check after an answer that no working app gives.
 *
 * @returns a sentence, or nothing
 */
export function hintForAnswer(appId: string, answer: ExAppAnswer): string {
  if (REFUSED_CREDENTIALS.has(answer.status)) {
    return credentialsHint(appId);
  }
  return isWebPage(answer) ? 'That is a web page: another program may listen at this address.' : '';
}

/** For an app that does not take the gateway's requests for the gateway's. */
export function credentialsHint(appId: string): string {
  return `The app does not accept the gateway's credentials: its APP_ID must be "${appId}", and its APP_SECRET the secret it is registered with.`;
}

/** The same where there was no answer at all. */
export function hintForSilence({ cause }: ExAppUnreachable): string {
  const failure = cause instanceof OutgoingHttpError ? cause.failure : undefined;
  return failure === 'network' || failure === 'host-not-found'
    ? 'Check that the app runs, and that this is its address.'
    : '';
}

export function isWebPage({ headers, body }: ExAppAnswer): boolean {
  return (
    /^\s*text\/html/i.test(headers['content-type'] ?? '') ||
    /^\s*<(?:!doctype|html)/i.test(body.subarray(0, 100).toString('utf8'))
  );
}
