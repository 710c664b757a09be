import { OutgoingHttpError } from '../../../common/http/outgoing-errors.js';
import type { OutgoingAnswer } from '../../../common/http/outgoing-http.js';
import type { ExAppUnreachable } from '../../app-api.errors.js';

/** A response of an app, of any status. */
export interface ExAppAnswer {
  readonly status: number;
  readonly headers: OutgoingAnswer['headers'];
  readonly body: Buffer;
}

export function isWebPage({ headers, body }: ExAppAnswer): boolean {
  return (
    /^\s*text\/html/i.test(headers['content-type'] ?? '') ||
    /^\s*<(?:!doctype|html)/i.test(body.subarray(0, 100).toString('utf8'))
  );
}

/** A field of a JSON response; undefined if it has none. */
export function jsonField(answer: ExAppAnswer, name: string): unknown {
  try {
    const parsed: unknown = JSON.parse(answer.body.toString('utf8'));
    return typeof parsed === 'object' && parsed !== null ? Reflect.get(parsed, name) : undefined;
  } catch {
    return undefined;
  }
}

const REFUSED_CREDENTIALS = new Set([401, 403]);

/** Advice for the operator about an unexpected response; empty if there is none. */
export function hintForAnswer(appId: string, answer: ExAppAnswer): string {
  if (REFUSED_CREDENTIALS.has(answer.status)) {
    return credentialsHint(appId);
  }
  return isWebPage(answer)
    ? 'The response is a web page: another program may listen at this address.'
    : '';
}

export function credentialsHint(appId: string): string {
  return `The app does not accept the gateway's credentials: its APP_ID must be "${appId}", and its APP_SECRET the secret it is registered with.`;
}

/** Advice for the operator if there was no response; may be empty. */
export function hintForSilence({ cause }: ExAppUnreachable): string {
  const failure = cause instanceof OutgoingHttpError ? cause.failure : undefined;
  return failure === 'network' || failure === 'host-not-found'
    ? 'Check that the app runs, and that this is its address.'
    : '';
}
