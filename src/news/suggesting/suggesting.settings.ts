import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import { httpAddress, readBy, settings, text } from '../../common/config/settings.js';

const StarterFeeds = z
  .array(
    z.strictObject({
      title: text.max(200),
      url: httpAddress.max(2000),
      link: httpAddress.max(2000),
      language: z.string().regex(/^[a-z]{2,3}$/, 'must be a language such as de'),
      topics: z.array(text.max(50)).max(10),
      reason: text.max(300),
      checked: z.iso.date('must be a date such as 2026-11-29'),
    }),
  )
  .max(2000);

/** A feed that people are offered who know no address. */
export type StarterFeed = z.output<typeof StarterFeeds>[number];

const LARGEST_FILE_BYTES = 2 * 1024 * 1024;

/** @throws Error with a rule that names what is wrong and where */
export function readStarterFeeds(file: string | URL): readonly StarterFeed[] {
  try {
    if (statSync(file).size > LARGEST_FILE_BYTES) {
      throw new Error(`it has more than ${LARGEST_FILE_BYTES} bytes`);
    }
    const { data, error } = StarterFeeds.safeParse(JSON.parse(readFileSync(file, 'utf8')));
    const [issue] = error?.issues ?? [];
    if (data === undefined) {
      throw new Error(`${issue?.path.join('.') || 'the list'}: ${issue?.message}`);
    }
    return data;
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`must be a JSON file of feeds (operations/suggestions.md; ${message})`, {
      cause: error,
    });
  }
}

/** Suggestions of feeds. */
export class SuggestingSettings extends settings('GATEFOLD_', {
  GATEFOLD_SUGGEST_FOLLOWED: z
    .stringFormat('followers', /^(?:off|[2-9]|[1-9]\d{1,5})$/, 'must be off or a number from 2')
    .transform((followers) => (followers === 'off' ? null : Number(followers)))
    .default(2)
    .describe(
      'Suggest public feeds that at least this many accounts follow, without telling who; off: none',
    ),
  GATEFOLD_STARTER_FEEDS: readBy(readStarterFeeds).describe(
    'JSON file with feeds that are suggested in place of those that come with the program; see operations/suggestions.md',
  ),
}) {}
