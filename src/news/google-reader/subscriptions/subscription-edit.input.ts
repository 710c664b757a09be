import { BadRequestException } from '@nestjs/common';
import type { Fields } from '../../../common/http/read-fields.js';
import { labelNameOf } from '../stream-names.js';

/** Limit; each is downloaded before the answer. */
const MOST_NEW_FEEDS = 20;
/** Limit; each is a transaction. */
const MOST_FEEDS = 1000;

export interface EditedFeed {
  /** The client's spelling. */
  readonly stream: string;
  /** The user's title; null leaves it. */
  readonly title: string | null;
}

export interface SubscriptionEdit {
  readonly action: 'subscribe' | 'edit' | 'unsubscribe';
  /** Empty only in edits, which then create the folder. */
  readonly feeds: readonly EditedFeed[];
  /** Name of the folder to move to; null leaves it. */
  readonly intoFolder: string | null;
  /** Names of the folders to take the feeds out of, where they are in one of them. */
  readonly outOfFolders: readonly string[];
}

/**
 * `s` may be repeated, `t` in step with it. A feed is in one folder, so the last `a` decides. An edit
 * of no feed with `a` is how Read You and Twine create a folder.
 *
 * @throws BadRequestException
 */
export function subscriptionEditOf(fields: Fields): SubscriptionEdit {
  const action = fields.one('ac');
  if (action !== 'subscribe' && action !== 'edit' && action !== 'unsubscribe') {
    throw new BadRequestException('The parameter "ac" must be subscribe, edit or unsubscribe.');
  }
  const titles = fields.all('t');
  const feeds = new Map<string, EditedFeed>();
  fields.all('s').forEach((stream, n) => {
    if (stream !== '') {
      feeds.set(stream, { stream, title: titles[n]?.trim() || null });
    }
  });
  const intoFolder = labelsOf(fields.all('a')).at(-1) ?? null;
  if (feeds.size === 0 && !(action === 'edit' && intoFolder !== null)) {
    throw new BadRequestException('The parameter "s" is missing.');
  }
  const most = action === 'subscribe' ? MOST_NEW_FEEDS : MOST_FEEDS;
  if (feeds.size > most) {
    throw new BadRequestException(`One request can ${action} at most ${most} feeds.`);
  }
  return {
    action,
    feeds: [...feeds.values()],
    intoFolder,
    outOfFolders: labelsOf(fields.all('r')),
  };
}

function labelsOf(streams: readonly string[]): string[] {
  return streams.flatMap((stream) => labelNameOf(stream)?.trim() || []);
}
