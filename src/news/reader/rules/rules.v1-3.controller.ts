import { z } from 'zod';
import { ApiPost, Delete, Get, Put } from '../../../common/contracts/routes.js';
import { InTurn } from '../../../common/http/answer-turns.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { TakesLargeBodies } from '../../../common/http/largest-body.decorator.js';
import { NewsController, V1_3 } from '../../http/levels.guard.js';
import { DONE_ONE, DoneOneAnswer } from '../../news.wire.js';
import { CurrentReader } from '../delivery/current-reader.decorator.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
import { RowSchema, toRow } from '../rows/rows.wire.js';
import { PortableRules } from './portable-rule.js';
import { RuleTransfers } from './rule-transfers.service.js';
import { RuleWork } from './rule-work.service.js';
import {
  ApplyRule,
  ChangeRule,
  CreateRule,
  ListEffects,
  OrderRules,
  RulePath,
  TryRule,
} from './rules.input.js';
import { RulesService, type ShownRule } from './rules.service.js';

const ids = z.array(z.int());

const RuleSchema = z
  .object({
    id: z.int(),
    name: z.string(),
    enabled: z.boolean(),
    problem: z.string().nullable().describe('Why it is inactive.'),
    scope: z.object({
      everything: z.boolean(),
      feedIds: ids,
      folderIds: ids,
      exceptFeedIds: ids,
      exceptFolderIds: ids,
    }),
    query: z.string(),
    words: z.string().describe('The condition in words.'),
    actions: z.array(z.looseObject({ type: z.string() })),
    order: z.int(),
    stopAfter: z.boolean(),
    until: z.int().nullable().describe('Unix seconds.'),
    createdAt: z.int().describe('Unix seconds.'),
    matches30d: z.int(),
    lastMatchAt: z.int().nullable().describe('Unix seconds.'),
    group: z.string().nullable().describe('The name of the group that gives it.'),
  })
  .meta({ id: 'Rule' });

const RulesAnswer = z.object({ rules: z.array(RuleSchema) });

const EffectsAnswer = z.object({
  effects: z.array(
    z.object({
      at: z.int().describe('Unix seconds.'),
      effect: z.string(),
      itemId: z.int(),
      title: z.string(),
      feedId: z.int(),
      undoneAt: z.int().nullable(),
    }),
  ),
  next: z.string().nullable().describe('For `before` of the next page; null on the last one.'),
});

const ImportAnswer = z.object({
  imported: z.int(),
  problems: z
    .array(z.object({ name: z.string(), reason: z.string() }))
    .describe('Rules that are inactive or were not taken, and why.'),
});

const TrialAnswer = z.object({
  matches: z.int(),
  days: z.array(z.object({ day: z.string(), count: z.int() })),
  examples: z.array(RowSchema),
  cost: z.int().describe('Articles of these days whose text the condition looks at.'),
  partOfWord: z.int().describe('Further articles with the words as a part of a word.'),
  existing: z.int().describe('Items of any age that it would change if it were applied.'),
  isComplete: z.boolean(),
});

/** @see docs/news-api.md "Rules" */
@NewsController(V1_3, 'rules')
export class RulesV13Controller {
  constructor(
    private readonly rules: RulesService,
    private readonly work: RuleWork,
    private readonly transfers: RuleTransfers,
  ) {}

  @InTurn()
  @Get('', 'Lists the rules of the caller in their order.', RulesAnswer)
  async list(@CurrentReader() reader: Reader) {
    return { rules: (await this.rules.list(reader)).map(toRuleJson) };
  }

  @ApiPost('', 'Creates a rule.', RulesAnswer)
  async create(@CurrentReader() reader: Reader, @Input(CreateRule) rule: In<typeof CreateRule>) {
    return { rules: [toRuleJson(await this.rules.create(reader, rule))] };
  }

  @Put(':ruleId', 'Changes a rule.', RulesAnswer)
  async change(
    @CurrentReader() reader: Reader,
    @Input(ChangeRule) { ruleId, given }: In<typeof ChangeRule>,
  ) {
    return { rules: [toRuleJson(await this.rules.change(reader, ruleId, given))] };
  }

  @Delete(':ruleId', 'Removes a rule.', DoneOneAnswer)
  async remove(@CurrentReader() reader: Reader, @Input(RulePath) { ruleId }: In<typeof RulePath>) {
    await this.rules.remove(reader, ruleId);
    return DONE_ONE;
  }

  @InTurn()
  @Get(
    'export',
    'Sends the rules of the caller as a file.',
    z.object({ rules: z.array(z.looseObject({})) }),
  )
  async export(@CurrentReader() reader: Reader) {
    return { rules: (await this.transfers.export(reader)).map((rule) => ({ ...rule })) };
  }

  @ApiPost('import', 'Saves the rules of such a file.', ImportAnswer)
  @TakesLargeBodies()
  async import(
    @CurrentReader() reader: Reader,
    @Input(PortableRules) { rules }: In<typeof PortableRules>,
  ) {
    const { imported, problems } = await this.transfers.import(reader, rules);
    return { imported, problems: [...problems] };
  }

  @ApiPost('order', 'Sets the order of the rules.', RulesAnswer)
  async order(
    @CurrentReader() reader: Reader,
    @Input(OrderRules) { ruleIds }: In<typeof OrderRules>,
  ) {
    await this.rules.order(reader, ruleIds);
    return { rules: (await this.rules.list(reader)).map(toRuleJson) };
  }

  @InTurn()
  @ApiPost('dry-run', 'Tells what a rule would have done in the last 30 days.', TrialAnswer)
  async try(@CurrentReader() reader: Reader, @Input(TryRule) { rule }: In<typeof TryRule>) {
    const { examples, ...trial } = await this.work.try(reader, rule);
    return { ...trial, days: [...trial.days], examples: examples.map(toRow) };
  }

  @ApiPost(
    ':ruleId/apply',
    'Applies a rule to the items there are.',
    z.object({
      changed: z.int(),
      next: z.string().nullable().describe('For `before` of the request that goes on; or null.'),
    }),
  )
  async apply(
    @CurrentReader() reader: Reader,
    @Input(ApplyRule) { ruleId, before }: In<typeof ApplyRule>,
  ) {
    const { changed, next } = await this.work.apply(reader, ruleId, before ?? null);
    return { changed, next: next === null ? null : String(next) };
  }

  @ApiPost(':ruleId/undo', 'Undoes what a rule did.', z.object({ undone: z.int() }))
  async undo(@CurrentReader() reader: Reader, @Input(RulePath) { ruleId }: In<typeof RulePath>) {
    return { undone: await this.work.undo(reader, ruleId) };
  }

  @Get(':ruleId/effects', 'Lists what a rule did.', EffectsAnswer)
  async listEffects(
    @CurrentReader() reader: Reader,
    @Input(ListEffects) { ruleId, before, limit }: In<typeof ListEffects>,
  ) {
    const effects = await this.work.effectsOf(reader, ruleId, before ?? null, limit);
    return {
      effects: effects.map(({ atSeconds, effect, itemId, title, feedId, undoneAtSeconds }) => ({
        at: atSeconds,
        effect,
        itemId,
        title: title ?? '',
        feedId,
        undoneAt: undoneAtSeconds,
      })),
      next: effects.length === limit ? String(effects.at(-1)?.id) : null,
    };
  }
}

/** @see docs/news-api.md "Rules" */
function toRuleJson(rule: ShownRule) {
  const { id, name, enabled, problem, scope, query, words, actions, place, stopAfter } = rule;
  return {
    id,
    name,
    enabled,
    problem,
    scope,
    query,
    words,
    actions: [...actions],
    order: place,
    stopAfter,
    until: rule.untilSeconds,
    createdAt: Math.floor(new Date(rule.createdAt).getTime() / 1000),
    matches30d: rule.use?.matches ?? 0,
    lastMatchAt: rule.use?.lastAtSeconds ?? null,
    group: rule.groupName,
  };
}
