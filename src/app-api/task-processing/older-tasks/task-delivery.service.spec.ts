import { describe, expect, it } from '@jest/globals';
import { text } from 'node:stream/consumers';
import { recordingUpload } from './task-delivery.service.js';
import type { Task } from './tasks.repository.js';

const TASK: Task = {
  id: 7,
  appId: 'ears',
  kind: 'speech_to_text',
  providerName: 'ears',
  userId: 'ada',
  input: {},
  note: {},
  processingTaskId: null,
  state: 'queued',
  result: '',
  error: '',
  progress: null,
  secondsLeft: 60,
  createdSeconds: 0,
  startedSeconds: null,
  finishedSeconds: null,
};

const NOTHING = { bytes: 0, piece: async () => null };

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
