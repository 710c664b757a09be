import { regionalLocale } from './regional-locale.js';

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'] as const;

/** A size in powers of 1024 as quotas are, in the visitor's language: `1.4 MB`, in French `1,4 Mo`. */
export function sizeLabel(bytes: number, language: string): string {
  let amount = bytes;
  let step = 0;
  // Four digits are too many: 1,010 KB are 1 MB.
  while (amount >= 999.5 && step < UNITS.length - 1) {
    amount /= 1024;
    step += 1;
  }
  return new Intl.NumberFormat(regionalLocale(language), {
    style: 'unit',
    unit: UNITS[step] ?? 'byte',
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: amount >= 100 ? 0 : 1,
  }).format(amount);
}
