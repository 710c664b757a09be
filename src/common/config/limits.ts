/**
 * Limits per user, app or publisher on stored data and concurrent work: name in `GATEFOLD_LIMITS`,
 * and default. `docs/operations/limits.md` has the same table; a test compares the two.
 */
export const DEFAULT_LIMITS = {
  'files-per-user': 500_000,
  'files-per-request': 50_000,
  'trash-entries-per-user': 10_000,
  'uploads-per-user': 100,
  'store-uploads-per-process': 40,
  'pieces-per-upload': 10_000,
  'locks-per-user': 1000,
  'property-bytes-per-user': 67_108_864,
  'requests-per-user': 400,
  'requests-per-app': 400,
  'guest-requests-per-app': 200,
  'requests-per-network': 300,
  'anonymous-requests-per-process': 1000,
  'uploads-at-once': 32,
  'file-lists-at-once': 10,
  'imports-at-once': 2,
  'feed-previews-at-once': 4,
  'full-texts-at-once': 4,
  'chapters-at-once': 4,
  'pictures-at-once': 200,
  'assistance-at-once': 20,
  'archives-per-user': 2,
  'archives-per-process': 8,
  'feeds-per-user': 5000,
  'folders-per-user': 1000,
  'folders-per-group': 20,
  'feeds-per-group-folder': 500,
  'editors-per-group-folder': 50,
  'rules-per-group-folder': 20,
  'group-feeds-per-user': 5000,
  'boards-per-group': 10,
  'entries-per-board': 5000,
  'entries-per-board-and-day': 200,
  'people-per-board-entry': 50,
  'webhooks-per-board': 5,
  'labels-per-user': 1000,
  'labels-per-item': 100,
  'labels-on-items-per-user': 100_000,
  'saved-searches-per-user': 50,
  'highlights-per-item': 500,
  'highlights-per-user': 20_000,
  'characters-per-highlight': 4000,
  'characters-per-note': 4000,
  'feeds-out-per-user': 100,
  'articles-per-feed-out': 50,
  'requests-per-feed-out-and-minute': 120,
  'requests-at-once-per-feed-out': 4,
  'notice-channels-per-user': 20,
  'notices-kept-per-user': 2000,
  'rules-per-user': 1000,
  'rule-characters-per-user': 150_000,
  'rule-patterns-per-user': 50,
  'rule-effects-kept-per-user': 500_000,
  'new-articles-per-source-and-day': 10_000,
  'pictures-per-user-and-hour': 5000,
  'full-texts-per-user-and-hour': 120,
  'saved-pages-per-user': 10_000,
  'imports-per-user': 50,
  'import-mebibytes': 512,
  'rows-per-import': 100_000,
  'imported-rows-per-user': 300_000,
  'live-streams-per-process': 2000,
  'app-passwords-per-user': 200,
  'passkeys-per-user': 20,
  'sessions-per-user': 100,
  'exports-per-user-and-day': 5,
  'tasks-per-user': 50,
  'automatic-tasks-per-user-and-day': 200,
  'tasks-per-user-and-two-minutes': 60,
  'tasks-kept-per-user': 500,
  'files-per-task': 32,
  'tasks-running-per-app': 200,
  'attempts-per-task': 3,
  'values-per-app': 5000,
  'value-bytes-per-app': 16_777_216,
  'registrations-per-app': 1000,
  'registration-bytes-per-app': 16_777_216,
  'undelivered-events-per-app': 100_000,
  'websockets-per-user': 50,
  'websockets-per-process': 1000,
  'conversations-per-user': 1000,
  'conversations-of-others-per-user': 1000,
  'conversations-of-one-owner-per-user': 200,
  'participants-per-conversation': 1000,
  'messages-per-conversation': 500_000,
  'messages-per-user': 2_000_000,
  'reactions-per-message-and-person': 20,
  'chat-waits-per-process': 2000,
} as const;

export type LimitName = keyof typeof DEFAULT_LIMITS;

export type Limits = Readonly<Record<LimitName, number>>;

const LARGEST = 1_000_000_000;

/**
 * Parses `feeds-per-user=20000 folders-per-user=50`; other limits keep their defaults.
 *
 * @throws Error naming the invalid entry
 */
export function readLimits(text: string): Limits {
  const limits: Record<LimitName, number> = { ...DEFAULT_LIMITS };
  for (const entry of text.split(/[\s,]+/).filter(Boolean)) {
    const [, name = '', digits = ''] = /^([a-z-]+)=(\d{1,10})$/.exec(entry) ?? [];
    const value = Number(digits);
    if (!isLimitName(name) || value < 1 || value > LARGEST) {
      throw new Error(
        `must be entries such as files-per-user=1000, from 1 to ${LARGEST}, of docs/operations/limits.md`,
      );
    }
    limits[name] = value;
  }
  return limits;
}

function isLimitName(name: string): name is LimitName {
  return Object.hasOwn(DEFAULT_LIMITS, name);
}
