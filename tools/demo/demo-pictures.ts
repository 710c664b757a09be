export type SceneKind = 'sea' | 'hills' | 'city' | 'garden' | 'mist' | 'abstract';

const WIDTH = 960;
const HEIGHT = 540;
const ICON_PIXELS = 128;
const JPEG_QUALITY = 78;

/** A drawn picture as JPEG; the same for the same seed. */
export async function drawScene(kind: SceneKind, hue: number, seed: string): Promise<Buffer> {
  const next = randomOf(seed);
  const evening = next() < 0.4;
  const top = evening ? `hsl(${hue},45%,28%)` : `hsl(${hue},55%,72%)`;
  const low = evening ? 'hsl(28,80%,68%)' : `hsl(${hue},60%,92%)`;
  const sun = `<circle cx="${200 + next() * 560}" cy="${110 + next() * 130}" r="${34 + next() * 22}" fill="hsl(45,95%,${evening ? 72 : 88}%)"/>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}">
<defs><linearGradient id="sky" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${top}"/><stop offset="0.75" stop-color="${low}"/></linearGradient></defs>
<rect width="${WIDTH}" height="${HEIGHT}" fill="url(#sky)"/>${sun}${SCENES[kind](hue, next)}</svg>`;
  const picture = await rasterOf(svg);
  return picture.jpeg({ quality: JPEG_QUALITY }).toBuffer();
}

/** The icon of a feed as PNG. */
export async function drawIcon(hue: number): Promise<Buffer> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${ICON_PIXELS}" height="${ICON_PIXELS}" viewBox="0 0 64 64">
<rect width="64" height="64" rx="14" fill="hsl(${hue},62%,42%)"/>
<circle cx="${24 + (hue % 17)}" cy="26" r="11" fill="hsl(${(hue + 40) % 360},90%,80%)"/>
<path d="M0 50 Q16 ${30 + (hue % 9)} 32 46 T64 42 V64 H0 Z" fill="hsl(${hue},70%,26%)"/>
<path d="M0 56 Q20 44 40 54 T64 52 V64 H0 Z" fill="hsl(${(hue + 20) % 360},70%,62%)"/></svg>`;
  const picture = await rasterOf(svg);
  return picture.png().toBuffer();
}

/** Loads the library when the demo needs it: every command imports this module. */
async function rasterOf(svg: string) {
  const { default: sharp } = await import('sharp');
  return sharp(Buffer.from(svg));
}

type Random = () => number;

const SCENES: Readonly<Record<SceneKind, (hue: number, next: Random) => string>> = {
  sea: (_hue, next) =>
    layers(4, (index) =>
      wave(330 + index * 55, 14, 90, next, `hsl(205,${48 + index * 6}%,${54 - index * 9}%)`),
    ) + boat(200 + next() * 500, 352 + next() * 30),
  hills: (hue, next) =>
    layers(5, (index) =>
      wave(
        250 + index * 62,
        60 - index * 8,
        240,
        next,
        `hsl(${hue},${22 + index * 5}%,${66 - index * 10}%)`,
      ),
    ),
  city: (hue, next) => layers(2, (index) => houses(index, hue, next)),
  garden: (_hue, next) =>
    wave(380, 16, 300, next, 'hsl(95,40%,38%)') + layers(46, () => flower(next)),
  mist: (hue, next) =>
    layers(6, (index) =>
      wave(230 + index * 52, 30, 320, next, `hsla(${hue},18%,${90 - index * 7}%,0.75)`),
    ),
  abstract: (hue, next) =>
    layers(
      14,
      () =>
        `<circle cx="${next() * WIDTH}" cy="${next() * HEIGHT}" r="${30 + next() * 110}" fill="hsla(${hue + next() * 70},70%,${45 + next() * 30}%,0.55)"/>`,
    ),
};

function layers(count: number, draw: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => draw(index)).join('');
}

/** A wavy edge, filled down to the bottom. */
function wave(y: number, height: number, length: number, next: Random, fill: string): string {
  const shift = next() * length;
  let path = `M${-shift} ${y}`;
  for (let x = -shift; x < WIDTH + length; x += length) {
    const up = y - height * (0.4 + next() * 0.6);
    path += ` Q${x + length / 4} ${up} ${x + length / 2} ${y} T${x + length} ${y}`;
  }
  return `<path d="${path} V${HEIGHT} H${-shift} Z" fill="${fill}"/>`;
}

function boat(x: number, y: number): string {
  return `<g transform="translate(${x} ${y})"><path d="M-46 0 H46 L32 20 H-32 Z" fill="#7a2e22"/><path d="M0 -8 V-86 L44 -8 Z" fill="#fff"/><path d="M-6 -8 V-70 L-34 -8 Z" fill="#f3e3c3"/></g>`;
}

function houses(row: number, hue: number, next: Random): string {
  let shapes = '';
  for (let x = -20; x < WIDTH;) {
    const width = 60 + next() * 70;
    const height = 110 + next() * 170 - row * 40;
    const y = HEIGHT - height;
    shapes += `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="hsl(${hue + next() * 40},${18 + row * 8}%,${46 - row * 18}%)"/>`;
    for (let floor = y + 16; floor < HEIGHT - 20; floor += 30) {
      for (let window = x + 10; window < x + width - 16; window += 24) {
        if (next() < 0.55) {
          shapes += `<rect x="${window}" y="${floor}" width="11" height="15" fill="hsl(45,90%,76%)"/>`;
        }
      }
    }
    x += width + 4;
  }
  return shapes;
}

function flower(next: Random): string {
  const x = next() * WIDTH;
  const y = 395 + next() * 120;
  const size = 8 + next() * 16;
  return `<path d="M${x} ${y} V${y + 60}" stroke="hsl(110,40%,26%)" stroke-width="3"/><circle cx="${x}" cy="${y}" r="${size}" fill="hsl(${next() * 360},75%,66%)"/><circle cx="${x}" cy="${y}" r="${size / 3}" fill="hsl(48,95%,60%)"/>`;
}

function randomOf(seed: string): Random {
  let state = [...seed].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), 7) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
