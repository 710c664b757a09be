const UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'];

/** A size in powers of 1024, as quotas are entered: `1.5 GB`. */
export function quotaLabel(bytes: number, locale: string): string {
  let amount = bytes;
  let power = 0;
  while (amount >= 1024 && power < UNITS.length - 1) {
    amount /= 1024;
    power += 1;
  }
  return `${amount.toLocaleString(locale, { maximumFractionDigits: 1 })} ${UNITS[power]}`;
}

/** A size for an input field, which the service reads back as the same number of bytes. */
export function quotaText(bytes: number): string {
  const exact = UNITS.findLastIndex((_, n) => {
    const hundredths = (bytes / 1024 ** n) * 100;
    return Number.isInteger(hundredths) && hundredths >= 100;
  });
  const power = Math.max(0, exact);
  return `${bytes / 1024 ** power} ${UNITS[power]}`;
}
