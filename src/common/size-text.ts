/** Powers of 1024, as the clients of such hosts count. */
export const SIZE_UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'] as const;

/** A size for a sentence, `1.4 GB`; the pages round alike (`web/src/host/size-label.ts`). */
export function sizeText(bytes: number): string {
  const power = SIZE_UNITS.findIndex((_, at) => bytes < 999.5 * 1024 ** at);
  const step = power < 0 ? SIZE_UNITS.length - 1 : power;
  const amount = bytes / 1024 ** step;
  return `${amount >= 100 || step === 0 ? Math.round(amount) : Math.round(amount * 10) / 10} ${SIZE_UNITS[step]}`;
}
