import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { ExAppUpload } from '../../apps/client/ex-app-client.js';
import type { Task } from './tasks.repository.js';

/** A stored recording. */
interface KeptRecording {
  readonly bytes: number;
  /** Null after the last one. */
  piece(place: number): Promise<Uint8Array | null>;
}

/**
 * The request to a provider of speech to text: a form whose part `data` is the recording, streamed
 * piece by piece.
 */
export function recordingUpload(
  task: Task,
  actionHandler: string,
  recording: KeptRecording,
): ExAppUpload {
  const boundary = `recording-${randomUUID()}`;
  const head = Buffer.from(
    `--${boundary}\r\n` +
      `Content-Disposition: form-data; name="data"; filename="${quotable(task.input['filename'])}"\r\n` +
      `Content-Type: ${mediaType(task.input['mime'])}\r\n\r\n`,
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  const timeoutSeconds = Math.max(task.secondsLeft, 1);
  return {
    route: actionHandler,
    userId: task.userId,
    query: { task_id: String(task.id), max_execution_time: String(task.secondsLeft) },
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: Readable.from(framed(head, recording, tail), { objectMode: false }),
    bodyBytes: head.length + recording.bytes + tail.length,
    timeoutSeconds,
  };
}

async function* framed(
  head: Uint8Array,
  recording: KeptRecording,
  tail: Uint8Array,
): AsyncGenerator<Uint8Array> {
  yield head;
  for (let place = 0; ; place += 1) {
    const bytes = await recording.piece(place);
    if (bytes === null) {
      break;
    }
    yield bytes;
  }
  yield tail;
}

/** Untrusted: may be anything, line breaks included. */
function mediaType(announced: string | null | undefined): string {
  const [plain = 'application/octet-stream'] =
    /^[\w.+-]+\/[\w.+-]+/.exec(announced?.trim() ?? '') ?? [];
  return plain;
}

/** Escapes like browsers do in forms. */
function quotable(filename: string | null | undefined): string {
  return (filename || 'recording')
    .replaceAll('"', '%22')
    .replaceAll('\r', '%0D')
    .replaceAll('\n', '%0A');
}
