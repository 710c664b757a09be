import type { OutgoingAnswer } from '../../../common/http/outgoing-http.js';

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
