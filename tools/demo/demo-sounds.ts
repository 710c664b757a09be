export type SoundKind = 'bells' | 'kettle' | 'rain' | 'door';

export const SOUND_SECONDS = 30;

const SAMPLES_PER_SECOND = 11_025;
const HEADER_BYTES = 44;

/** Size of a sound file in bytes. */
export function soundBytes(): number {
  return HEADER_BYTES + SOUND_SECONDS * SAMPLES_PER_SECOND;
}

/** A sound as a WAV file: 8 bits, one channel. */
export function writeSound(kind: SoundKind): Buffer {
  const samples = SOUND_SECONDS * SAMPLES_PER_SECOND;
  const file = Buffer.alloc(HEADER_BYTES + samples);
  file.write('RIFF', 0, 'latin1');
  file.writeUInt32LE(36 + samples, 4);
  file.write('WAVEfmt ', 8, 'latin1');
  file.writeUInt32LE(16, 16);
  // Uncompressed, one channel.
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(SAMPLES_PER_SECOND, 24);
  file.writeUInt32LE(SAMPLES_PER_SECOND, 28);
  file.writeUInt16LE(1, 32);
  file.writeUInt16LE(8, 34);
  file.write('data', 36, 'latin1');
  file.writeUInt32LE(samples, 40);
  for (let index = 0; index < samples; index += 1) {
    const level = LEVELS[kind](index / SAMPLES_PER_SECOND, index);
    file[HEADER_BYTES + index] = 128 + Math.round(100 * Math.max(-1, Math.min(1, level)));
  }
  return file;
}

/** Level from -1 to 1, at a second and a sample. */
const LEVELS: Readonly<Record<SoundKind, (second: number, sample: number) => number>> = {
  bells: (second) => struck(second % 2.5, second % 5 < 2.5 ? 392 : 294),
  kettle: (second, sample) => noise(sample) * (second / SOUND_SECONDS) ** 2 * 0.6,
  rain: (second, sample) => noise(sample) * (0.12 + 0.08 * Math.sin(second)),
  door: (second) => struck(second % 10, 82) * 0.8,
};

/** Partials of a bell, each fading at its own speed. */
const PARTIALS = [
  [0.5, 0.5, 0.7],
  [1, 0.6, 1.2],
  [1.19, 0.3, 1.6],
  [2, 0.3, 2.2],
  [2.74, 0.2, 3],
] as const;

function struck(second: number, hertz: number): number {
  return PARTIALS.reduce(
    (sum, [ratio, loudness, fading]) =>
      sum +
      0.5 * loudness * Math.exp(-fading * second) * Math.sin(2 * Math.PI * hertz * ratio * second),
    0,
  );
}

/** Deterministic, so that the file keeps its etag. */
function noise(sample: number): number {
  const mixed = Math.imul(sample ^ (sample >>> 7), 0x9e3779b1) >>> 0;
  return ((mixed ^ (mixed >>> 15)) % 2000) / 1000 - 1;
}
