import type { ClientRequest, IncomingMessage } from 'node:http';
import { within } from './until.js';

/** Resolves when the response has begun; the connection may fail later. */
export function responseTo(request: ClientRequest): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request.once('response', resolve).on('error', reject);
  return within(`the response to ${request.method} ${request.path}`, promise);
}
