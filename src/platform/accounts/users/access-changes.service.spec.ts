import { expect, it } from '@jest/globals';
import type { DatabaseNotices, NoticeListener } from '../../../database/notices/notices.js';
import { NoticeWatches } from './access-changes.service.js';

/** Watches, and what the database tells them. */
function watches(endsUnsure: boolean) {
  const heard: NoticeListener[] = [];
  const notices = {
    follow: (_channel: string, listener: NoticeListener) => heard.push(listener),
    listen: async () => {},
  } as unknown as DatabaseNotices;
  const all = new NoticeWatches('spec', notices, () => {}, endsUnsure);
  const isEnded = async (name: string, sinceMs?: number) =>
    (await all.watch(name, sinceMs)).signal.aborted;
  return {
    all,
    isEnded,
    hear: (name: string) => heard[0]?.heard(name),
    resume: () => heard[0]?.resumed(),
  };
}

it('A watch has ended if its name changed since the access was decided.', async () => {
  const { isEnded, hear } = watches(false);
  const sinceMs = performance.now();
  hear('ada');

  expect(await isEnded('ada', sinceMs)).toBe(true);
  expect(await isEnded('bob', sinceMs)).toBe(false);
  expect(await isEnded('ada', performance.now() + 1)).toBe(false);
  expect(await isEnded('ada')).toBe(false);
});

it('A watch has ended if a change since then may be unknown.', async () => {
  const { isEnded, hear, resume } = watches(false);
  const first = performance.now();
  for (let n = 0; n < 1001; n++) {
    hear(`user ${n}`);
  }
  const sinceMs = performance.now() + 1;

  expect(await isEnded('ada', first)).toBe(true);
  expect(await isEnded('ada', sinceMs)).toBe(false);
  resume();
  expect(await isEnded('ada', first)).toBe(true);
});

it.each([true, false])(
  'Missed changes end watches that nothing else ends: %s.',
  async (endsUnsure) => {
    const { all, resume } = watches(endsUnsure);
    const { signal } = await all.watch('ada');

    resume();

    expect(signal.aborted).toBe(endsUnsure);
  },
);
