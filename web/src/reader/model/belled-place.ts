import { shallowRef } from 'vue';

/** A feed or folder that the user may be told about. */
export interface BellPlace {
  readonly of: 'feed' | 'folder';
  readonly id: number;
  readonly name: string;
}

/** The ids of feeds and folders whose bell is on, once they are known. */
export const belledIds = shallowRef<Readonly<Record<BellPlace['of'], ReadonlySet<number>>>>({
  feed: new Set(),
  folder: new Set(),
});

/** The one whose bell is being set; null while none is. */
export const belledPlace = shallowRef<BellPlace | null>(null);
