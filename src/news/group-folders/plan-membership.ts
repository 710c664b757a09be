/** Of a row of the reader: `hidden` by the user, `left` with a group and kept for a while, `removed` by the user. */
export type GivenState = 'shown' | 'hidden' | 'left' | 'removed';

export interface PresentFolder {
  readonly id: number;
  readonly name: string;
  /** Null for one of the user's own. */
  readonly groupFolderId: number | null;
  readonly givenName: string | null;
  readonly state: GivenState;
}

export interface PresentFeed {
  readonly id: number;
  readonly sourceId: number;
  readonly folderId: number | null;
  /** Null if no group gives it. */
  readonly groupFeedId: number | null;
  readonly isOwn: boolean;
  readonly state: GivenState;
}

/** A group's folder that the user should have. */
export interface DueFolder {
  readonly id: number;
  readonly name: string;
  readonly groupName: string;
  readonly rev: number;
}

/** A group's feed that the user should have. */
export interface DueFeed {
  readonly id: number;
  readonly folderId: number;
  readonly sourceId: number;
  readonly url: string;
  readonly isMandatory: boolean;
}

/** A feed that the user has, or had, and what becomes of it. `groupFolderId`: where it goes; null leaves it. */
interface GivenFeed {
  readonly id: number;
  readonly groupFeedId: number;
  readonly isMandatory: boolean;
  readonly isOwn: boolean;
  readonly isShown: boolean;
  readonly groupFolderId: number | null;
  /** Where it was `left`, or removed: its items come back. */
  readonly returns: boolean;
  readonly sourceId: number;
}

/** What makes the rows of a reader those that groups give. */
export interface MembershipPlan {
  readonly leftFolders: readonly PresentFolder[];
  readonly newFolders: readonly { readonly groupFolderId: number; readonly name: string }[];
  /** With the new name, that of the group unless the user renamed it. */
  readonly folders: readonly {
    readonly id: number;
    readonly name: string;
    readonly givenName: string | null;
    readonly isShown: boolean;
  }[];
  readonly newFeeds: readonly DueFeed[];
  readonly feeds: readonly GivenFeed[];
  /** The user's own, which no group gives any more. */
  readonly releasedFeedIds: readonly number[];
  readonly leftFeeds: readonly PresentFeed[];
}

/**
 * Compares what a reader has with what groups give. A source is given once, by a mandatory entry if there is one; a
 * feed of the user's own stays where it is, with a second reason; what the user has hidden stays hidden, unless it is
 * mandatory.
 */
export function planMembership(
  present: { readonly folders: readonly PresentFolder[]; readonly feeds: readonly PresentFeed[] },
  due: { readonly folders: readonly DueFolder[]; readonly feeds: readonly DueFeed[] },
): MembershipPlan {
  const wanted = new Map<number, DueFeed>();
  for (const feed of due.feeds) {
    const other = wanted.get(feed.sourceId);
    if (other === undefined || (feed.isMandatory && !other.isMandatory)) {
      wanted.set(feed.sourceId, feed);
    }
  }
  const had = new Map(present.feeds.map((feed) => [feed.sourceId, feed]));
  const newFeeds: DueFeed[] = [];
  const feeds: GivenFeed[] = [];
  for (const feed of wanted.values()) {
    const row = had.get(feed.sourceId);
    if (row === undefined) {
      newFeeds.push(feed);
    } else {
      feeds.push(givenAgain(row, feed));
    }
  }
  const gone = present.feeds.filter(
    ({ sourceId, groupFeedId }) => groupFeedId !== null && !wanted.has(sourceId),
  );
  const shownIn = new Set([
    ...newFeeds.map(({ folderId }) => folderId),
    ...feeds.flatMap(({ isShown, groupFolderId }) => (isShown ? (groupFolderId ?? []) : [])),
  ]);
  return {
    newFeeds,
    feeds,
    releasedFeedIds: gone.filter(({ isOwn }) => isOwn).map(({ id }) => id),
    leftFeeds: gone.filter(({ isOwn }) => !isOwn),
    ...planFolders(present.folders, due.folders, shownIn),
  };
}

function givenAgain(row: PresentFeed, feed: DueFeed): GivenFeed {
  const isOwn = row.state === 'shown' && row.isOwn;
  return {
    id: row.id,
    sourceId: row.sourceId,
    groupFeedId: feed.id,
    isMandatory: feed.isMandatory,
    isOwn,
    isShown: row.state !== 'hidden' || feed.isMandatory,
    groupFolderId: isOwn ? null : feed.folderId,
    returns: row.state !== 'shown' && (row.state !== 'hidden' || feed.isMandatory),
  };
}

function planFolders(
  present: readonly PresentFolder[],
  due: readonly DueFolder[],
  shownIn: ReadonlySet<number>,
): Pick<MembershipPlan, 'leftFolders' | 'newFolders' | 'folders'> {
  const ofGroups = new Map(
    present.flatMap((folder) =>
      folder.groupFolderId === null ? [] : [[folder.groupFolderId, folder] as const],
    ),
  );
  const isDue = new Set(due.map(({ id }) => id));
  const leftFolders = [...ofGroups.values()].filter(
    ({ groupFolderId, state }) => !isDue.has(groupFolderId ?? 0) && state !== 'left',
  );
  const left = new Set(leftFolders);
  const taken = new Set(
    present.filter((one) => one.state === 'shown' && !left.has(one)).map(({ name }) => name),
  );
  const newFolders = [];
  const folders = [];
  for (const folder of due) {
    const row = ofGroups.get(folder.id);
    if (row === undefined) {
      const name = freeName(folder, taken);
      taken.add(name);
      newFolders.push({ groupFolderId: folder.id, name });
      continue;
    }
    const { id, givenName, state } = row;
    const isShown = state === 'shown' || state === 'left' || shownIn.has(folder.id);
    const isRenamed = row.name !== givenName;
    const keepsName = isRenamed || namesOf(folder).includes(row.name);
    const isNameFree = state === 'shown' || !taken.has(row.name);
    const name = keepsName && isNameFree ? row.name : freeName(folder, taken);
    taken.add(name);
    folders.push({
      id,
      name,
      givenName: isRenamed && name === row.name ? givenName : name,
      isShown,
    });
  }
  return { leftFolders, newFolders, folders };
}

const MOST_NAMES = 100;

/** Names that a folder may get, best first: clients of one protocol know folders by their names. */
function namesOf({ name, groupName }: DueFolder): string[] {
  const long = `${name} (${groupName})`;
  return [name, long, ...Array.from({ length: MOST_NAMES }, (_, n) => `${long} ${n + 2}`)];
}

function freeName(folder: DueFolder, taken: ReadonlySet<string>): string {
  const names = namesOf(folder);
  return names.find((name) => !taken.has(name)) ?? `${folder.name} ${folder.id}`;
}
