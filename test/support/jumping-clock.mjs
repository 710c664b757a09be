/**
 * Preloaded: makes the clock of the process jump a year ahead, a year back, and right again,
 * several times a second. Timers are unaffected.
 */
const DAY_MS = 86_400_000;
const OFFSETS_MS = [0, 400 * DAY_MS, -400 * DAY_MS, 3_600_000, -3_600_000];

let jumps = 0;
setInterval(() => (jumps += 1), 150).unref();

const RightDate = globalThis.Date;
const now = () => RightDate.now() + OFFSETS_MS[jumps % OFFSETS_MS.length];

globalThis.Date = class Date extends RightDate {
  constructor(...given) {
    super(...(given.length === 0 ? [now()] : given));
  }

  static now() {
    return now();
  }
};
