import type { Get } from '../../../common/command-line/with-app.js';
import { ReaderIdsRepository, type Reader } from './reader-ids.repository.js';

/** Finds the reader of a user once in a command. */
export async function readerOf(get: Get, userId: string): Promise<Reader> {
  return get(ReaderIdsRepository).of(userId);
}
