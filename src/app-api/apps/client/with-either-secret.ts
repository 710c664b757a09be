import type { ExApp, ExAppsRepository } from '../ex-apps.repository.js';
import { secretsToTry } from './gateway-headers.js';

const REFUSED = 401;

interface Call<Answer> {
  /** Sends the request with a secret. */
  send(secret: string): Promise<Answer>;
  /** Undefined if the app did not answer. */
  statusOf(answer: Answer): number | undefined;
  /** Called with an answer that is not returned. */
  discard?(answer: Answer): void;
}

/**
 * Calls an app whose secret may have been rotated a moment ago: with the one that its process probably has,
 * and with the other one if that is refused. Apps refuse with 401 before they do anything, so that the
 * request can be repeated.
 *
 * @returns the last answer
 */
export async function withEitherSecret<Answer>(
  apps: Pick<ExAppsRepository, 'noteSecretSeen'>,
  app: ExApp,
  { send, statusOf, discard = () => {} }: Call<Answer>,
): Promise<Answer> {
  const [first, other] = secretsToTry(app);
  const answer = await send(first);
  if (statusOf(answer) !== REFUSED || other === undefined) {
    return answer;
  }
  discard(answer);
  const second = await send(other);
  const status = statusOf(second);
  if (status !== undefined && status !== REFUSED && other === app.secret) {
    await apps.noteSecretSeen(app.appId);
  }
  return second;
}
