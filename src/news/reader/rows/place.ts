/** An item's place in a list by date. Compared by date, then by id. */
export interface Place {
  /** `ItemEntity.dateSeconds`. */
  readonly dateSeconds: number;
  readonly id: number;
}

const WRITTEN = /^(-?\d{1,10})\.(\d{1,16})$/;

/** The API's form, opaque to clients. */
export function writePlace({ dateSeconds, id }: Place): string {
  return `${dateSeconds}.${id}`;
}

/** @returns null unless `writePlace` could have written it */
export function readPlace(written: string): Place | null {
  const [, date, id] = WRITTEN.exec(written) ?? [];
  const place = { dateSeconds: Number(date), id: Number(id) };
  return Number.isSafeInteger(place.id) && Math.abs(place.dateSeconds) <= 2 ** 31 ? place : null;
}
