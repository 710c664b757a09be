import { computed, shallowRef } from 'vue';
import { requestJson } from '../../host/http.js';
import { NEWS_ROOT } from './news-request.js';

/** A feed that a group gives to the visitor. */
export interface GivenFeed {
  readonly feedId: number;
  readonly folderId: number | null;
  readonly title: string;
  readonly folderName: string;
  readonly groupName: string;
  readonly mandatory: boolean;
  /** Whether the visitor follows it without the group as well. */
  readonly own: boolean;
  readonly hidden: boolean;
}

export const givenFeeds = shallowRef<readonly GivenFeed[]>([]);

export const givenById = computed(
  () => new Map(givenFeeds.value.map((feed) => [feed.feedId, feed])),
);

/** Names of the groups whose folders these are, by the id of the visitor's folder. */
export const groupOfFolder = computed(
  () =>
    new Map(
      givenFeeds.value.flatMap(({ own, folderId, groupName }) =>
        own || folderId === null ? [] : [[folderId, groupName] as const],
      ),
    ),
);

export async function loadGivenFeeds(): Promise<void> {
  const path = `${NEWS_ROOT}/group-folders/given`;
  givenFeeds.value = (await requestJson<{ feeds: GivenFeed[] }>(path)).feeds;
}

let followed = '';

/** Loads them for marks, without which the tree is as good. @param feeds differs if they may have changed */
export function followGivenFeeds(feeds: string): void {
  if (feeds !== followed) {
    followed = feeds;
    void loadGivenFeeds().catch(() => {});
  }
}
