import { Injectable } from '@nestjs/common';
import { DomainError } from '../../common/errors/domain-error.js';
import { OutgoingHttp } from '../../common/http/outgoing-http.js';

/** The server sent no recording. */
class RecordingUnavailable extends DomainError {
  readonly kind = 'unavailable';
}

/** More than an hour of speech in the usual quality; held in memory. */
const LARGEST_RECORDING_BYTES = 96 * 1024 * 1024;
const TIMEOUT_SECONDS = 600;

const SOUND = /^(?:audio|video)\//i;

/** Downloads the recording of a podcast's episode. */
@Injectable()
export class RecordingFetcher {
  constructor(private readonly outgoing: OutgoingHttp) {}

  /**
   * @param announcedMime type of the enclosure in the feed
   * @throws RecordingUnavailable, OutgoingHttpError; the reason of `signal`
   */
  async fetch(
    url: string,
    announcedMime: string | null,
    signal: AbortSignal,
  ): Promise<{ readonly bytes: Uint8Array; readonly filename: string; readonly mime: string }> {
    const { status, headers, body } = await this.outgoing.request({
      url,
      headers: { accept: 'audio/*, video/*;q=0.9, */*;q=0.1' },
      timeoutSeconds: TIMEOUT_SECONDS,
      maxWireBytes: LARGEST_RECORDING_BYTES,
      maxDecodedBytes: LARGEST_RECORDING_BYTES,
      signal,
    });
    const { host } = new URL(url);
    if (status !== 200) {
      throw new RecordingUnavailable(`The server at ${host} answered with status ${status}.`);
    }
    if (body.length === 0) {
      throw new RecordingUnavailable(`The server at ${host} sent an empty recording.`);
    }
    const sentMime = headers['content-type']?.replace(/;.*$/s, '').trim() ?? '';
    const mime = SOUND.test(sentMime) ? sentMime : (announcedMime ?? 'audio/mpeg');
    if (/^text\/html\b/i.test(sentMime)) {
      throw new RecordingUnavailable(`The server at ${host} sent a web page, not a recording.`);
    }
    return { bytes: body, filename: filenameOf(url), mime };
  }
}

/** Whether an enclosure is a recording. */
export function isSound(mime: string | null): boolean {
  return SOUND.test(mime ?? '');
}

const LONGEST_FILENAME = 100;

/** ASCII only: the name is passed on to other programs. */
function filenameOf(url: string): string {
  const last = new URL(url).pathname.split('/').at(-1) ?? '';
  const plain = last.replace(/%[0-9a-f]{2}|[^\w.-]/gi, '_').slice(-LONGEST_FILENAME);
  return /\w/.test(plain) ? plain : 'recording';
}
