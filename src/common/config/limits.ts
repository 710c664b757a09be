/**
 * How much one user, app or publisher may store or have under way: the name that `GATEFOLD_LIMITS`
 * takes, and the default. `docs/operations.md` holds the same table, and a test compares the two.
 */
export const DEFAULT_LIMITS = {
  'files-per-user': 500_000,
  'files-per-request': 50_000,
  'uploads-per-user': 100,
  'pieces-per-upload': 10_000,
  'locks-per-user': 1000,
  'archives-per-user': 2,
  'archives-per-process': 8,
  'feeds-per-user': 5000,
  'folders-per-user': 1000,
  'new-articles-per-source-and-day': 10_000,
  'live-streams-per-process': 2000,
  'app-passwords-per-user': 200,
  'sessions-per-user': 100,
  'tasks-per-user': 50,
  'values-per-app': 5000,
  'value-bytes-per-app': 16_777_216,
  'websockets-per-user': 50,
  'websockets-per-process': 1000,
  'conversations-per-user': 1000,
  'participants-per-conversation': 1000,
  'messages-per-conversation': 500_000,
  'reactions-per-message-and-person': 20,
  'chat-waits-per-process': 2000,
} as const;

export type LimitName = keyof typeof DEFAULT_LIMITS;

export type Limits = Readonly<Record<LimitName, number>>;

const LARGEST = 1_000_000_000;

/**
 * Reads `feeds-per-user=20000 folders-per-user=50`; what is not named keeps its default.
 *
 * @throws Error that names the faulty entry
 */
export function readLimits(text: string): Limits {
  const limits: Record<LimitName, number> = { ...DEFAULT_LIMITS };
  for (const entry of text.split(/[\s,]+/).filter(Boolean)) {
    const [, name = '', digits = ''] = /^([a-z-]+)=(\d{1,10})$/.exec(entry) ?? [];
    const value = Number(digits);
    if (!isLimitName(name) || value < 1 || value > LARGEST) {
      throw new Error(
        `must be entries such as files-per-user=1000, from 1 to ${LARGEST}, of docs/operations.md`,
      );
    }
    limits[name] = value;
  }
  return limits;
}

function isLimitName(name: string): name is LimitName {
  return Object.hasOwn(DEFAULT_LIMITS, name);
}
