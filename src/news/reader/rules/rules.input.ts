import { z } from 'zod';
import { orElse } from '../../../common/http/loose-inputs.js';
import { boolean, integer, text, unlessAbsent } from '../../parameters.js';

const MOST_ACTIONS = 20;
const MOST_NAMES = 20;
const MOST_IN_SCOPE = 5000;
const MOST_RULES = 10_000;

const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d$/;

const ids = (most: number) =>
  orElse(
    z
      .array(integer, { error: 'must be ids' })
      .max(most, { error: `must have at most ${most} entries` }),
    [],
  );

const between = (least: number, most: number) =>
  integer.refine((value) => value >= least && value <= most, {
    error: `must be from ${least} to ${most}`,
  });

const Action = z.discriminatedUnion(
  'type',
  [
    z.object({
      type: z.enum(['read', 'hide', 'star', 'retain', 'fulltext', 'stop', 'readWhenUnlisted']),
    }),
    z.object({ type: z.literal('label'), names: z.array(text).min(1).max(MOST_NAMES) }),
    z.object({
      type: z.literal('notify'),
      urgent: orElse(boolean, false),
      channelIds: z.preprocess(
        (value) => value ?? null,
        z.array(integer).max(MOST_NAMES).nullable(),
      ),
    }),
    z.object({
      type: z.literal('mail'),
      at: text.refine((at) => at === 'now' || TIME.test(at), { error: 'must be "now" or HH:MM' }),
    }),
    z.object({ type: z.literal('send'), channelId: integer }),
    z.object({ type: z.literal('readAfter'), hours: between(1, 24 * 365) }),
    z.object({ type: z.literal('newest'), count: between(1, 10_000) }),
  ],
  { error: 'must be the name of an action' },
);

export const Actions = z
  .array(Action)
  .max(MOST_ACTIONS, { error: `must have at most ${MOST_ACTIONS} entries` });

const Scope = z.object({
  everything: orElse(boolean, false),
  feedIds: ids(MOST_IN_SCOPE),
  folderIds: ids(MOST_IN_SCOPE),
  exceptFeedIds: ids(MOST_IN_SCOPE),
  exceptFolderIds: ids(MOST_IN_SCOPE),
});

const EVERYTHING = {
  everything: true,
  feedIds: [],
  folderIds: [],
  exceptFeedIds: [],
  exceptFolderIds: [],
};

/** What users write of a rule. */
const FIELDS = {
  name: orElse(text, ''),
  enabled: orElse(boolean, true),
  scope: orElse(Scope, EVERYTHING),
  query: orElse(text, ''),
  actions: orElse(Actions, []),
  stopAfter: orElse(boolean, false),
};

const untilSeconds = z.preprocess((value) => value ?? null, integer.nullable());

const GivenRule = z
  .object({ ...FIELDS, until: untilSeconds })
  .transform(({ until, ...given }) => ({ ...given, untilSeconds: until }));

export const CreateRule = GivenRule;

/** Absent fields stay. */
export const ChangeRule = z
  .object({
    ruleId: integer,
    name: text.optional(),
    enabled: boolean.optional(),
    scope: Scope.optional(),
    query: text.optional(),
    actions: Actions.optional(),
    stopAfter: boolean.optional(),
    until: integer.nullable().optional(),
  })
  .transform(({ ruleId, until, ...given }) => ({
    ruleId,
    given: definedOf({ ...given, untilSeconds: until }),
  }));

type Defined<Fields> = { [Key in keyof Fields]: Exclude<Fields[Key], undefined> };

const definedOf = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<
    Defined<Fields>
  >;

export const RulePath = z.object({ ruleId: integer });
export const OrderRules = z.object({ ruleIds: ids(MOST_RULES) });
export const TryRule = z.object({ rule: GivenRule });
export const ApplyRule = z.object({ ruleId: integer, before: unlessAbsent(integer) });
export const ListEffects = z.object({
  ruleId: integer,
  before: unlessAbsent(integer),
  limit: orElse(between(1, 200), 50),
});
