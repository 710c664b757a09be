import { z } from 'zod';
import { Actions } from './rules.input.js';
import type { GivenAction } from './rules.service.js';

const names = z.array(z.string()).max(5000).default([]);

/** A rule in a file: places by name, feeds by address. */
const Portable = z.object({
  id: z.int().positive().optional(),
  name: z.string().max(255).default(''),
  enabled: z.boolean().default(true),
  scope: z
    .object({
      everything: z.boolean().default(false),
      feeds: names,
      folders: names,
      exceptFeeds: names,
      exceptFolders: names,
    })
    .prefault({ everything: true }),
  query: z.string().max(16_000).default(''),
  actions: Actions.default([]),
  stopAfter: z.boolean().default(false),
  until: z.int().nullable().default(null),
});

/** The content of a file of rules. */
export const PortableRules = z.object({ rules: z.array(Portable).max(10_000) });

export interface PortableRule extends Omit<z.output<typeof Portable>, 'actions'> {
  readonly actions: readonly GivenAction[];
  /** Why its condition has no equivalent: it is kept as text. */
  readonly problem?: string;
  /** What of it is left out, in a sentence. */
  readonly left?: string;
}

export const RULE_DEFAULTS = {
  name: '',
  enabled: true,
  scope: { everything: true, feeds: [], folders: [], exceptFeeds: [], exceptFolders: [] },
  query: '',
  stopAfter: false,
  until: null,
} satisfies Partial<PortableRule>;
