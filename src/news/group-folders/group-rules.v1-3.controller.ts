import { z } from 'zod';
import { ApiPost, Delete, Get, Put } from '../../common/contracts/routes.js';
import { Input, type In } from '../../common/http/input.decorator.js';
import { orElse } from '../../common/http/loose-inputs.js';
import { NewsController, V1_3 } from '../http/levels.guard.js';
import { DONE_ONE, DoneOneAnswer } from '../news.wire.js';
import { integer, text } from '../parameters.js';
import { CurrentEditor } from './current-editor.decorator.js';
import type { Editor } from './group-folders.service.js';
import { GroupRulesService } from './group-rules.service.js';

const MOST_ACTIONS = 20;

const Action = z.discriminatedUnion(
  'type',
  [
    z.object({ type: z.enum(['read', 'hide', 'notify']) }),
    z.object({
      type: z.literal('label'),
      names: z.array(z.string().trim().min(1).max(255)).min(1).max(MOST_ACTIONS),
    }),
  ],
  { error: 'must be read, hide, notify or label with names' },
);

const FolderPath = z.object({ groupFolderId: integer });
const RulePath = FolderPath.extend({ ruleId: integer });
const FIELDS = {
  name: orElse(text, ''),
  query: orElse(text, ''),
  actions: z
    .array(Action, { error: 'must be a list of actions' })
    .max(MOST_ACTIONS, { error: `must have at most ${MOST_ACTIONS} entries` }),
};
const CreateRule = FolderPath.extend(FIELDS);
const ReplaceRule = RulePath.extend(FIELDS);

const CreatedAnswer = z.object({ id: z.int() });
const RulesAnswer = z.object({
  rules: z.array(
    z
      .object({
        id: z.int(),
        name: z.string(),
        query: z.string(),
        actions: z.array(z.looseObject({ type: z.string() })),
      })
      .meta({ id: 'GroupRule' }),
  ),
});

/** Rules of groups' folders, for their editors. Beyond the specification. */
@NewsController(V1_3, 'group-folders/:groupFolderId/rules')
export class GroupRulesV13Controller {
  constructor(private readonly rules: GroupRulesService) {}

  @Get('', 'Lists the rules of the folder of a group.', RulesAnswer)
  async list(
    @CurrentEditor() editor: Editor,
    @Input(FolderPath) { groupFolderId }: In<typeof FolderPath>,
  ) {
    const rules = await this.rules.list(editor, groupFolderId);
    return { rules: rules.map(({ actions, ...rule }) => ({ ...rule, actions: [...actions] })) };
  }

  @ApiPost('', 'Creates a rule for the folder of a group.', CreatedAnswer)
  async create(
    @CurrentEditor() editor: Editor,
    @Input(CreateRule) { groupFolderId, ...rule }: In<typeof CreateRule>,
  ) {
    return { id: await this.rules.save(editor, groupFolderId, { ...rule, id: null }) };
  }

  @Put(':ruleId', 'Replaces a rule of the folder of a group.', DoneOneAnswer)
  async replace(
    @CurrentEditor() editor: Editor,
    @Input(ReplaceRule) { groupFolderId, ruleId, ...rule }: In<typeof ReplaceRule>,
  ) {
    await this.rules.save(editor, groupFolderId, { ...rule, id: ruleId });
    return DONE_ONE;
  }

  @Delete(':ruleId', 'Removes a rule of the folder of a group.', DoneOneAnswer)
  async remove(
    @CurrentEditor() editor: Editor,
    @Input(RulePath) { groupFolderId, ruleId }: In<typeof RulePath>,
  ) {
    await this.rules.remove(editor, groupFolderId, ruleId);
    return DONE_ONE;
  }
}
