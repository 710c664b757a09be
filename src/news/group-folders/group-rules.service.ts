import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { assertBelowLimit } from '../../common/errors/limit-reached.js';
import { readGroupRule, type GroupRule } from '../reader/rules/given-rules.service.js';
import { RuleNotFound } from '../reader/rules/rules.errors.js';
import { assertRoom, newRuleId } from '../reader/rules/rules.service.js';
import { GroupFoldersService, type Editor } from './group-folders.service.js';
import { GroupRulesRepository } from './group-rules.repository.js';

/** Rules of groups' folders, which their members have before their own. */
@Injectable()
export class GroupRulesService {
  constructor(
    private readonly folders: GroupFoldersService,
    private readonly rules: GroupRulesRepository,
    private readonly config: Config,
  ) {}

  /** In their order. @throws GroupFolderNotFound */
  async list(editor: Editor, folderId: number): Promise<GroupRule[]> {
    await this.folders.find(editor, folderId);
    return this.rules.list(folderId);
  }

  /**
   * Creates or replaces a rule; a new one comes last.
   *
   * @param given its `id` null for a new one
   * @throws GroupFolderNotFound, RuleNotFound, InvalidRule, QueryError, LimitReached
   */
  async save(
    editor: Editor,
    folderId: number,
    given: Omit<GroupRule, 'id'> & { readonly id: number | null },
  ): Promise<number> {
    await this.folders.find(editor, folderId);
    const { actions } = given;
    const read = readGroupRule({ ...given, id: given.id ?? 0 });
    const rule = { id: given.id ?? newRuleId(), name: read.name, query: read.queryText, actions };
    return this.folders.change(editor, folderId, `rule "${rule.name}" saved`, async (tx) => {
      const present = await this.rules.list(folderId, tx);
      const others = present.filter(({ id }) => id !== given.id);
      RuleNotFound.unless(given.id === null || others.length < present.length, given.id ?? 0);
      assertBelowLimit(this.config, 'rules-per-group-folder', others.length);
      assertRoom(this.config, [...others.map(readGroupRule), read]);
      await this.rules.save(folderId, rule, tx);
      return rule.id;
    });
  }

  /** @throws GroupFolderNotFound, RuleNotFound */
  async remove(editor: Editor, folderId: number, ruleId: number): Promise<void> {
    const rule = (await this.list(editor, folderId)).find(({ id }) => id === ruleId);
    const { name } = RuleNotFound.unless(rule, ruleId);
    await this.folders.change(editor, folderId, `rule "${name}" removed`, async (tx) => {
      RuleNotFound.unless(await this.rules.remove(folderId, ruleId, tx), ruleId);
    });
  }
}
