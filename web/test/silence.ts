import type { Page } from '@playwright/test';

/** A minute of silence, served in ranges as players request them. */
export async function serveSilence(page: Page, url: string): Promise<void> {
  const [rate, seconds] = [8000, 60];
  const sound = Buffer.alloc(44 + rate * seconds, 128);
  sound.write('RIFF\0\0\0\0WAVEfmt ', 'latin1');
  sound.writeUInt32LE(sound.length - 8, 4);
  sound.writeUInt32LE(16, 16);
  sound.writeUInt16LE(1, 20);
  sound.writeUInt16LE(1, 22);
  sound.writeUInt32LE(rate, 24);
  sound.writeUInt32LE(rate, 28);
  sound.writeUInt16LE(1, 32);
  sound.writeUInt16LE(8, 34);
  sound.write('data', 36);
  sound.writeUInt32LE(rate * seconds, 40);
  await page.route(url, async (route) => {
    const [, from = '0', to = ''] =
      /bytes=(\d+)-(\d*)/.exec(route.request().headers()['range'] ?? '') ?? [];
    const end = to === '' ? sound.length - 1 : Number(to);
    await route.fulfill({
      status: 206,
      contentType: 'audio/wav',
      headers: {
        'Accept-Ranges': 'bytes',
        'Content-Range': `bytes ${from}-${end}/${sound.length}`,
      },
      body: sound.subarray(Number(from), end + 1),
    });
  });
}
