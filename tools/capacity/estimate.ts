/** Results of a measurement. */
export interface MeasuredRates {
  readonly syncsPerSecond: number;
  readonly fetchesPerSecond: number;
  readonly deliveredItemsPerSecond: number;
  /** Bytes with the reader's indexes. */
  readonly bytesPerItem: number;
  /** Bytes with text and indexes. */
  readonly bytesPerArticle: number;
}

/** Usage pattern. */
export interface Usage {
  readonly syncEverySeconds: number;
  readonly fetchEverySeconds: number;
  /** Feeds without another follower. */
  readonly feedsPerUser: number;
  readonly newItemsPerDay: number;
  readonly keptItems: number;
  readonly articlesPerFeedAndDay: number;
  readonly keptDays: number;
}

/** The values of docs/scaling.md. */
export const USAGE: Usage = {
  syncEverySeconds: 900,
  fetchEverySeconds: 3_600,
  feedsPerUser: 10,
  newItemsPerDay: 500,
  keptItems: 20_000,
  articlesPerFeedAndDay: 10,
  keptDays: 90,
};

/** The other half is for peaks, clean-up, backups and growth. */
const USED_SHARE = 0.5;

const DAY_SECONDS = 86_400;

export interface Estimate {
  /** Users that the machine can serve with this work alone. */
  readonly bySyncs: number;
  readonly byFetches: number;
  readonly byDeliveries: number;
  /** Total of all three. */
  readonly byWork: number;
  readonly bytesPerUser: number;
  /** Undefined when the disk is not known. */
  readonly byDisk: number | undefined;
}

/** @param diskBytes that the database may take */
export function estimate(
  rates: MeasuredRates,
  diskBytes: number | undefined,
  usage: Usage = USAGE,
): Estimate {
  const bySyncs = rates.syncsPerSecond * usage.syncEverySeconds * USED_SHARE;
  const byFetches =
    (rates.fetchesPerSecond * usage.fetchEverySeconds * USED_SHARE) / usage.feedsPerUser;
  const byDeliveries =
    (rates.deliveredItemsPerSecond * DAY_SECONDS * USED_SHARE) / usage.newItemsPerDay;
  const articles = usage.feedsPerUser * usage.articlesPerFeedAndDay * usage.keptDays;
  const bytesPerUser = usage.keptItems * rates.bytesPerItem + articles * rates.bytesPerArticle;
  return {
    bySyncs,
    byFetches,
    byDeliveries,
    byWork: 1 / (1 / bySyncs + 1 / byFetches + 1 / byDeliveries),
    bytesPerUser,
    byDisk: diskBytes === undefined ? undefined : (diskBytes * USED_SHARE) / bytesPerUser,
  };
}
