import { GATEWAY_VERSION } from '../../gateway-version.js';
import type { ExApp, ExAppsRepository } from '../ex-apps.repository.js';

/** Headers of the protocol; never forwarded from clients. */
export const GATEWAY_HEADERS = [
  'aa-version',
  'ex-app-id',
  'ex-app-version',
  'authorization-app-api',
  'aa-request-id',
] as const;

/**
 * The secrets to authenticate with, in the order to try them. Until the app has shown that it has the new
 * secret, its process still runs with the previous one.
 */
function secretsToTry({
  secret,
  previousSecret,
  secretSeen,
}: SecretsOfApp): readonly [string, string?] {
  if (previousSecret === null || previousSecret === secret) {
    return [secret];
  }
  return secretSeen ? [secret, previousSecret] : [previousSecret, secret];
}

type SecretsOfApp = Pick<ExApp, 'secret' | 'previousSecret' | 'secretSeen'>;

/**
 * Headers that authenticate the gateway to an app and name the acting user.
 *
 * @param userId the acting user; empty for requests of the gateway itself
 * @param secret default: the first to try
 * @see docs/app-api-reference.md "Authentication"
 */
export function gatewayHeaders(
  app: Pick<ExApp, 'appId' | 'version'> & SecretsOfApp,
  userId: string,
  requestId: string,
  secret: string = secretsToTry(app)[0],
): Record<(typeof GATEWAY_HEADERS)[number], string> {
  return {
    'aa-version': GATEWAY_VERSION,
    'ex-app-id': app.appId,
    'ex-app-version': app.version,
    'authorization-app-api': Buffer.from(`${userId}:${secret}`).toString('base64'),
    'aa-request-id': requestId,
  };
}

const REFUSED = 401;

interface Call<Answer> {
  /** Sends the request with a secret. */
  send(secret: string): Promise<Answer>;
  /** Undefined if the app did not answer. */
  statusOf(answer: Answer): number | undefined;
  /** Called with discarded answers. */
  discard?(answer: Answer): void;
}

/**
 * Calls an app whose secret may just have been rotated: with the secret that its process probably has, and
 * with the other one if refused. Apps refuse with 401 before they do anything, so that the request can be
 * repeated.
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
