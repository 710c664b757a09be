/*
 * A child process that resizes pictures. Pictures are untrusted: a decoder's use of memory and time, and
 * its crashes, are confined here. It imports nothing of its own, so that it also runs from its source.
 */
import sharp from 'sharp';
import type { ResizeRequest } from './picture-resizer.service.js';

/** Memory of a decoded picture is 4 bytes for each pixel. */
const MOST_PIXELS = 50_000_000;
/** Lines that are much longer take many seconds. */
const LONGEST_SIDE_PIXELS = 30_000;
const JPEG_QUALITY = 82;

sharp.cache(false);
sharp.concurrency(1);

process.on('message', (request: ResizeRequest) => {
  void resize(request).then(
    () => process.send?.(true),
    () => process.send?.(false),
  );
});

async function resize({ source, target, width, height, crop }: ResizeRequest): Promise<void> {
  // Decodes the first frame only. `truncated`: an upload may have been cut off by its client.
  const picture = sharp(source, { limitInputPixels: MOST_PIXELS, failOn: 'truncated', pages: 1 })
    // As the camera was held.
    .autoOrient()
    .resize({ width, height, fit: crop ? 'cover' : 'inside', withoutEnlargement: true });
  const { hasAlpha, width: wide, height: high } = await picture.metadata();
  if (Math.max(wide, high) > LONGEST_SIDE_PIXELS) {
    throw new Error('One side is too long.');
  }
  const encoded = hasAlpha ? picture.png() : picture.jpeg({ quality: JPEG_QUALITY });
  await encoded.toFile(target);
}
