import type { Answer } from '../../test/support/api-client.js';

/** A request that cannot be sent, or that the server cuts, counts as refused. */
export async function answerOf(
  call: () => Promise<Answer>,
): Promise<Pick<Answer, 'status' | 'text'>> {
  try {
    return await call();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ECONNRESET', 'EPIPE', 'ERR_INVALID_CHAR', 'ERR_UNESCAPED_CHARACTERS'].includes(code)) {
      return { status: 400, text: '' };
    }
    throw error;
  }
}
