/** Seconds east of UTC of names in feeds that the time zone database lacks. */
const HOURS: Readonly<Record<string, number>> = {
  ut: 0,
  utc: 0,
  gmt: 0,
  z: 0,
  wet: 0,
  west: 1,
  bst: 1,
  ist: 5.5,
  met: 1,
  mez: 1,
  cet: 1,
  mest: 2,
  mesz: 2,
  cest: 2,
  eet: 2,
  eest: 3,
  msk: 3,
  msd: 4,
  sast: 2,
  pkt: 5,
  ict: 7,
  wib: 7,
  wita: 8,
  wit: 9,
  sgt: 8,
  hkt: 8,
  pht: 8,
  awst: 8,
  jst: 9,
  kst: 9,
  acst: 9.5,
  acdt: 10.5,
  aest: 10,
  aedt: 11,
  nzst: 12,
  nzdt: 13,
  nst: -3.5,
  ndt: -2.5,
  art: -3,
  brt: -3,
  brst: -2,
  adt: -3,
  ast: -4,
  at: -4,
  edt: -4,
  est: -5,
  et: -5,
  cdt: -5,
  cst: -6,
  ct: -6,
  mdt: -6,
  mst: -7,
  mt: -7,
  pdt: -7,
  pst: -8,
  pt: -8,
  akdt: -8,
  akst: -9,
  hst: -10,
  hast: -10,
};

/**
 * The letters of RFC 822 count westwards. Military time zones count eastwards, but feeds follow the
 * RFC. J is unused.
 */
const WESTWARDS = 'abcdefghiklm';
const EASTWARDS = 'nopqrstuvwxy';

/** @returns seconds east of UTC; null for a name without a fixed offset */
export function offsetOfZoneName(name: string): number | null {
  if (Object.hasOwn(HOURS, name)) {
    return (HOURS[name] ?? 0) * 3600;
  }
  if (name.length !== 1) {
    return null;
  }
  const west = WESTWARDS.indexOf(name);
  if (west !== -1) {
    return (west + 1) * -3600;
  }
  const east = EASTWARDS.indexOf(name);
  return east === -1 ? null : (east + 1) * 3600;
}

const formats = new Map<string, Intl.DateTimeFormat | null>();

/** Size of the cache; only a hostile document names more zones. */
const MOST_FORMATS = 200;

/**
 * The offset of a zone of the time zone database, such as `Europe/Berlin`, at a local time.
 *
 * @param localSeconds the local time as if it were UTC
 * @returns seconds east of UTC, null for an unknown zone
 */
export function offsetOfRegion(region: string, localSeconds: number): number | null {
  const format = formatOf(region);
  if (!format) {
    return null;
  }
  const first = offsetAt(format, localSeconds);
  // The first guess may be on the wrong side of a clock change.
  return offsetAt(format, localSeconds - first);
}

function formatOf(region: string): Intl.DateTimeFormat | null {
  const known = formats.get(region);
  if (known !== undefined) {
    return known;
  }
  if (formats.size >= MOST_FORMATS) {
    return null;
  }
  let format: Intl.DateTimeFormat | null = null;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: region,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    // Not a zone: cached, too.
  }
  formats.set(region, format);
  return format;
}

function offsetAt(format: Intl.DateTimeFormat, utcSeconds: number): number {
  const parts = new Map(
    format.formatToParts(utcSeconds * 1000).map(({ type, value }) => [type, Number(value)]),
  );
  const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0;
  const local = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  );
  return local / 1000 - utcSeconds;
}
