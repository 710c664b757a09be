import { AS_JSON, say, showList, type AsJson } from '../../../common/command-line/say.js';
import { wholeNumber } from '../../../common/command-line/whole-number.js';
import type { RegisterCommands } from '../../../common/command-line/with-app.js';
import { withUser } from '../../../common/command-line/with-user.js';
import { readerOf } from '../delivery/reader-of.js';
import { RuleWork } from './rule-work.service.js';
import { RulesService } from './rules.service.js';

/** The operator's commands for rules of users. */
export const registerRuleCommands: RegisterCommands = (program, withApp) => {
  program
    .command('rules:list <user>')
    .description('list the rules of a user in their order')
    .option(...AS_JSON)
    .action(async (userId: string, options: AsJson) => {
      const rules = await withUser(withApp, userId, async (get) =>
        get(RulesService).list(await readerOf(get, userId)),
      );
      await showList(rules, options, {
        RULE: ({ id }) => String(id),
        STATE: ({ enabled, problem }) => (enabled ? (problem === null ? 'on' : 'inactive') : 'off'),
        'IN 30 DAYS': ({ use }) => String(use?.matches ?? 0),
        ACTIONS: ({ actions }) => actions.map(({ type }) => type).join(', '),
        NAME: ({ name }) => name,
        CONDITION: ({ query }) => query,
      });
    });

  program
    .command('rules:dry-run <user> <rule>')
    .description(
      'tell what a rule of a user would have done in the last 30 days; <rule> is its number',
    )
    .action(async (userId: string, rule: string) => {
      const trial = await withUser(withApp, userId, async (get) =>
        get(RuleWork).trySaved(await readerOf(get, userId), wholeNumber(rule)),
      );
      say(
        `${trial.matches} articles of the last 30 days match; ${trial.existing} of any age would change.`,
      );
      trial.examples.forEach(({ id, title }) => say(`  ${id}  ${title ?? ''}`));
    });
};
