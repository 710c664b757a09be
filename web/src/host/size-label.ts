import { regionalLocale } from './regional-locale.js';

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'] as const;

/** A size in powers of 1000, in the visitor's language: `1.4 MB`, in French `1,4 Mo`. */
export function sizeLabel(bytes: number, language: string): string {
  let amount = bytes;
  let step = 0;
  // 999,600 bytes are 1 MB, not 1,000 kB.
  while (amount >= 999.5 && step < UNITS.length - 1) {
    amount /= 1000;
    step += 1;
  }
  return new Intl.NumberFormat(regionalLocale(language), {
    style: 'unit',
    unit: UNITS[step] ?? 'byte',
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: amount >= 100 ? 0 : 1,
  }).format(amount);
}
