/**
 * What time it is. Injected wherever a decision depends on time, so that a test can set it
 * instead of sleeping. Stamps that order data (ids, lastModified) come from the database instead.
 */
export class Clock {
  now(): Date {
    return new Date();
  }

  nowSeconds(): number {
    return Math.floor(this.now().getTime() / 1000);
  }
}
