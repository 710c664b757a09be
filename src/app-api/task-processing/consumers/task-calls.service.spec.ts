import { describe, expect, it } from '@jest/globals';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { recordingUpload } from './task-calls.service.js';

const TASK = { olderId: 7, userId: 'ada', secondsLeft: 60 };

const NOTHING = { sizeBytes: 0, read: () => Readable.from([]) };

describe('the form with a recording', () => {
  it.each([
    ['audio/ogg', 'audio/ogg'],
    ['audio/x-m4a; codecs="mp4a"', 'audio/x-m4a'],
    ['audio/mpeg\r\nContent-Disposition: form-data; name="other"', 'audio/mpeg'],
    ['nonsense', 'application/octet-stream'],
    [null, 'application/octet-stream'],
  ])('says of a recording of %j that it is %s, and no more', async (mime, told) => {
    const input = { mime, filename: 'a"\r\nb.ogg' };

    const { body } = recordingUpload({ ...TASK, input }, 'listen', NOTHING);

    const [, ...headers] = (await text(body)).split('\r\n\r\n', 1)[0]?.split('\r\n') ?? [];
    expect(headers).toEqual([
      'Content-Disposition: form-data; name="data"; filename="a%22%0D%0Ab.ogg"',
      `Content-Type: ${told}`,
    ]);
  });
});
