import { z } from 'zod';
import { wholeNumberThat } from '../../../common/http/loose-inputs.js';
import {
  SECURITY_EVENT_KINDS,
  type SecurityEventKind,
  type SecurityEventFilter,
} from './security-event.js';

const MOST_AT_ONCE = 500;

const LONGEST_TEXT = 200;

/** Seconds of the year 9999. */
const LATEST_TIME = 253_402_300_799;

/** Absent or empty (as in forms) matches all. */
const words = z
  .string()
  .trim()
  .max(LONGEST_TEXT)
  .nullish()
  .transform((text) => text || null);

/** Unix seconds; absent or empty sets no limit. */
const moment = z
  .union([z.literal(''), wholeNumberThat((int) => int.min(0))])
  .nullish()
  .transform((seconds) => (typeof seconds === 'number' ? Math.min(seconds, LATEST_TIME) : null));

/** One kind, or several separated by commas. */
const kinds = z
  .string()
  .nullish()
  .transform((text, context): SecurityEventKind[] | null => {
    const names = [...new Set((text ?? '').split(',').filter(Boolean))];
    if (!names.every(isKind)) {
      context.addIssue({ code: 'custom', message: 'must be a kind of event' });
      return z.NEVER;
    }
    return names.length === 0 ? null : names;
  });

const filterFields = {
  kind: kinds,
  user: words,
  actor: words,
  subject: words,
  address: words,
  text: words,
  from: moment,
  to: moment,
};

export const ExportRequest = z.object(filterFields);

export const EventsRequest = z.object({
  ...filterFields,
  limit: wholeNumberThat((int) => int.min(1).max(MOST_AT_ONCE)).default(50),
  /** Cursor: id of the oldest event of the previous page. */
  before: wholeNumberThat((int) => int.min(1))
    .nullable()
    .default(null),
});

export function toFilter(wanted: z.output<typeof ExportRequest>): SecurityEventFilter {
  const { kind, from, to, user, actor, subject, address, text } = wanted;
  return { kinds: kind, fromSeconds: from, toSeconds: to, user, actor, subject, address, text };
}

function isKind(name: string): name is SecurityEventKind {
  return (SECURITY_EVENT_KINDS as readonly string[]).includes(name);
}
