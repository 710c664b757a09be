import { Injectable } from '@nestjs/common';
import { DomainError } from '../../common/errors/domain-error.js';
import { OutgoingHttp } from '../../common/http/outgoing-http.js';

export interface FetchedRecording {
  readonly bytes: Uint8Array;
  readonly filename: string;
  readonly mime: string;
}

/** The server has something else to say than a recording. */
export class RecordingUnavailable extends DomainError {
  readonly kind = 'unavailable';
}

/** More than an hour of speech in the usual quality; all of it is held in memory. */
const LARGEST_RECORDING_BYTES = 96 * 1024 * 1024;
const TIMEOUT_SECONDS = 600;

const SOUND = /^(?:audio|video)\//i;

/** From the address of a podcast's episode to its sound. */
@Injectable()
export class RecordingFetcher {
  constructor(private readonly outgoing: OutgoingHttp) {}

  /**
   * @param announcedMime what the feed says it is
   * @throws RecordingUnavailable, OutgoingHttpError; the reason of `signal`
   */
  async fetch(
    url: string,
    announcedMime: string | null,
    signal: AbortSignal,
  ): Promise<FetchedRecording> {
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

/** Whether a feed announces something that can be listened to. */
export function isSound(mime: string | null): boolean {
  return SOUND.test(mime ?? '');
}

const LONGEST_FILENAME = 100;

/** Plain letters only: the name travels on to programs of others. */
function filenameOf(url: string): string {
  const last = new URL(url).pathname.split('/').at(-1) ?? '';
  const plain = last.replace(/%[0-9a-f]{2}|[^\w.-]/gi, '_').slice(-LONGEST_FILENAME);
  return /\w/.test(plain) ? plain : 'recording';
}
