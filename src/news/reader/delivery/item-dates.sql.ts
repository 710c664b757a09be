/*
 * The date of an item is its place in lists by date. It is that of the article, so that a list is in the
 * order of the dates it shows, but never in the future: a date in the future would stay at the top.
 */

/**
 * SQL of the date of a new item, unix seconds.
 *
 * @param published SQL of the article's date, unix seconds
 * @param nowMicros SQL of the time of delivery, unix microseconds
 */
export function itemDate(published: string, nowMicros: string): string {
  return `greatest(least(${published}, ${nowMicros}::bigint / 1000000, 2147483647), -2147483648)::integer`;
}

/**
 * SQL of the date of `item` after its article changed. A date in the future does not move it: else each
 * change of such an article would bring it back to the top.
 */
export function changedItemDate(published: string, nowMicros: string): string {
  return `case when ${published} > ${nowMicros}::bigint / 1000000 then item.date_seconds
               else ${itemDate(published, nowMicros)} end`;
}
